/* Two processes with blocking calls on both sides (both-sides), on the first only (one-side), or on neither
 * (callbacks); or two domains, each of which is a thread, with blocking calls in both (domains). */
#include "callbacks.h"
#include "../common/blocking.h"

/* Not a part of main, whose frame is large. */
__attribute__((noinline)) static void ping_by_blocking(struct blocking_end *b, struct pinger *pinger) {
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

__attribute__((noinline)) static void pong_by_blocking(struct blocking_end *b, unsigned long count) {
  struct message m = {{0}};
  for (unsigned long i = 0; i < count; i++) {
    receive(b, &m);
    m.word[0] = answer(m.word[0]);
    send_message(b, &m);
  }
}

struct responder {
  struct blocking_end end;
  unsigned long count;
};

/* The first activity of another domain. */
static void respond(void *argument) {
  struct responder *r = argument;
  struct bottom_half bottom = {&r->end, 1};
  be_on_core(1);
  begin_bottom_half(&bottom);
  pong_by_blocking(&r->end, r->count);
  end_bottom_half(&bottom);
}

static void between_domains(struct pinger *pinger) {
  struct responder r = {.count = pinger->count};
  struct blocking_end b = {0};
  ch_thread other;
  make_ends(&b.end, &r.end.end);
  be_on_core(0);
  if (ch_domain_start(&other, respond, &r))
    exit(1);
  struct bottom_half bottom = {&b, 1};
  begin_bottom_half(&bottom);
  ping_by_blocking(&b, pinger);
  end_bottom_half(&bottom);
  ch_domain_join(&other);
}

static void between_processes(const char *name, struct pinger *pinger) {
  int both = !strcmp(name, "both-sides"), one = !strcmp(name, "one-side");
  if (!both && !one && strcmp(name, "callbacks"))
    unknown_case(name);
  struct blocking_end b = {0};
  int other = start_other(&b.end);
  if (other ? both : both || one) {
    struct bottom_half bottom = {&b, 1};
    begin_bottom_half(&bottom);
    if (other)
      pong_by_blocking(&b, pinger->count);
    else
      ping_by_blocking(&b, pinger);
    end_bottom_half(&bottom);
  } else if (other) {
    atomic pong_by_callbacks(b.end, pinger->count); /* callbacks never block */
  } else {
    atomic ping_by_callbacks(b.end, pinger);
  }
  if (other)
    _exit(0);
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  struct pinger pinger = {.count = strtoul(argv[2], NULL, 10)};
  if (!strcmp(name, "domains"))
    between_domains(&pinger);
  else
    between_processes(name, &pinger);
  report_pings(&pinger);
}
