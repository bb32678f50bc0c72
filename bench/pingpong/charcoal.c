/* Two processes: blocking calls on both sides (both-sides), on the first only (one-side), or on neither (callbacks). */
#include "callbacks.h"
#include "../common/blocking.h"

static int finished;

static void ping_by_blocking(struct blocking_end *b, struct pinger *pinger) {
  struct message m = {{0}};
  lap(&pinger->watch, 0);
  while (pinger->next < pinger->count) {
    m.word[0] = pinger->next;
    send_message(b, &m);
    receive(b, &m);
    pinger->sum += m.word[0];
    pinger->next++;
    lap(&pinger->watch, pinger->next);
  }
}

static void pong_by_blocking(struct blocking_end *b, unsigned long count) {
  struct message m = {{0}};
  for (unsigned long i = 0; i < count; i++) {
    receive(b, &m);
    m.word[0] = answer(m.word[0]);
    send_message(b, &m);
  }
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  struct pinger pinger = {.count = strtoul(argv[2], NULL, 10)};
  int both = !strcmp(name, "both-sides"), one = !strcmp(name, "one-side");
  if (!both && !one && strcmp(name, "callbacks"))
    unknown_case(name);
  struct blocking_end b = {0};
  int other = start_other(&b.end);
  if (other ? both : both || one) {
    activate { bottom_half(&b, 1, &finished); }
    if (other) pong_by_blocking(&b, pinger.count);
    else ping_by_blocking(&b, &pinger);
    finished = 1;
  } else if (other) {
    atomic pong_by_callbacks(b.end, pinger.count); /* callbacks never block */
  } else {
    atomic ping_by_callbacks(b.end, &pinger);
  }
  if (other)
    _exit(0);
  report_pings(&pinger);
}
