/* A main in Charcoal C that uses C++. */
#include "library.h"
#include <charcoal.h>
#include <stdio.h>

static int right;
static void one(void *unused) { right += cpp_in_catch("one", 20, 40); }
static void two(void *unused) { right += cpp_in_catch("two", 30, 10); }

int main(void) {
  lib_activate(one, NULL);
  lib_activate(two, NULL);
  right += cpp_in_catch("main", 25, 15);
  if (!lib_all_ended() || right != 3 || lib_wait(1) != 7)
    return 1;
  puts("right");
}
