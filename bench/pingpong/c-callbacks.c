/* Two processes, both with callbacks by hand; the same in every case. */
#include "callbacks.h"

int main(int argc, char **argv) {
  argument_case(argc, argv);
  struct pinger pinger = {.count = strtoul(argv[2], NULL, 10)};
  struct end end;
  if (start_other(&end)) {
    pong_by_callbacks(end, pinger.count);
    _exit(0);
  }
  ping_by_callbacks(end, &pinger);
  report_pings(&pinger);
}
