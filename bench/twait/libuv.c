/* The loop with libuv's timers and callbacks. */
#include "pieces.h"
#include <uv.h>

enum { TURNS = 100 };

static unsigned long done, turns;
static uv_timer_t timer;

static void turn(uv_timer_t *t) {
  done++;
  if (--turns > 0)
    uv_timer_start(t, turn, 0, 0);
}

static void benchfn(unsigned long n) {
  turns = n;
  uv_timer_start(&timer, turn, 0, 0);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

int main(int argc, char **argv) {
  static const struct work works[] = {
      {"implicit", benchfn, TURNS},
      {"explicit", benchfn, TURNS},
      {0},
  };
  uv_timer_init(uv_default_loop(), &timer);
  run_work(argc, argv, works, &done);
}
