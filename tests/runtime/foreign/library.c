/* Charcoal C, recompiled. */
#include "library.h"
#include <charcoal.h>
#include <stdio.h>
#include <unistd.h>

static int alive;

int lib_wait(int ms) {
  ch_activity a;
  int n = 0;
  activate[&a] {
    usleep(1000 * ms);
    n = 7;
  }
  int error = ch_activity_wait(&a);
  return error ? -error : n;
}

void lib_leave_behind(const char *text) {
  activate(text) {
    printf("%s\n", text);
    fflush(stdout);
  }
}

void lib_activate(void (*fn)(void *), void *argument) {
  alive++;
  activate(fn, argument) {
    fn(argument);
    alive--;
  }
}

void lib_call(void (*fn)(void *), void *argument) {
  fn(argument);
  alive += 0;
}

int lib_all_ended(void) {
  for (int i = 0; i < 10000 && alive > 0; i++)
    ch_sleep(1000000);
  return alive == 0;
}
