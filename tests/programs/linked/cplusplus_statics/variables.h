#pragma once
#include <charcoal.h>

extern "C" void spawn(void (*body)(int), int argument);
extern "C" void end_activity(void);

struct Slow {
  int value;
  explicit Slow(int from) {
    ch_sleep(2000000);
    value = from + 1;
  }
};
inline Slow &outer(int from) {
  static Slow variable(from);
  return variable;
}
inline Slow &around(int from) {
  static Slow variable(outer(from).value);
  return variable;
}
int asks_in_plain_code(int from);
void make_unlocked();
void make_those_of_threads();
