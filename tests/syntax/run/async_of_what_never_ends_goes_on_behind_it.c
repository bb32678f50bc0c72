// The optimiser finds that a body never returns; the call of it does, when the body waits.
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
static int turns, on = 1;
static void forever(void) { for (;; turns++) ch_sleep(1000); }
static void over_and_over(void) { while (on) forever(); }
_Noreturn static void says_so(void) { for (;; turns++) ch_sleep(1000); }
static void itself(int n) {
  do {
    if (n > 0) async itself(n - 1);
    if (n > 0) printf("behind %d\n", n);
    for (;; turns++) ch_sleep(1000);
  } finish;
}
int main(void) {
  do {
    async forever();
    printf("one\n");
    async { for (;; turns++) ch_sleep(1000); }
    printf("two\n");
    async over_and_over();
    printf("three\n");
    async says_so();
    printf("four\n");
    async { ch_sleep(1000); says_so(); }
    printf("five\n");
    async itself(2);
    printf("six\n");
    while (turns < 30) ch_sleep(1000);
    printf("end\n");
    exit(0);
  } finish;
}
