/* Two processes, or in the case `domains` two threads, both with callbacks by hand. */
#include "callbacks.h"
#include <pthread.h>

static unsigned long count;

static void *other_thread(void *end) {
  be_on_core(1);
  pong_by_callbacks(*(struct end *)end, count);
  return NULL;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  struct pinger pinger = {.count = strtoul(argv[2], NULL, 10)};
  struct end end, other;
  count = pinger.count;
  if (!strcmp(name, "domains")) {
    pthread_t thread;
    make_ends(&end, &other);
    be_on_core(0);
    if (pthread_create(&thread, NULL, other_thread, &other))
      return 1;
  } else if (start_other(&end)) {
    pong_by_callbacks(end, count);
    _exit(0);
  }
  ping_by_callbacks(end, &pinger);
  report_pings(&pinger);
}
