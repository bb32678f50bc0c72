#include <charcoal.h>
void f(void) {
  do {
    async {
      waituntil (ch_sleep(1)) {
