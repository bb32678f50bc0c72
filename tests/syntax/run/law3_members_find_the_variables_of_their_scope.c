// Law 3: `finish` returns when every member of its scope has ended; until then the variables of the `do` block live,
// whether they are used by reference or by an address that is an argument. In virtual time.
#include <charcoal.h>
#include <stdio.h>

static int total;

static void add(const int *one) {
  ch_sleep(1000000);
  total += *one;
}

static void overwrite(int n) {
  volatile char all[512];
  for (int i = 0; i < 512; i++)
    all[i] = (char)n;
}

static void by_reference(int n) {
  do {
    ch_scope *scope = ch_scope_here();
    int own = n, copied = n;
    activate [ch_in(scope)] {
      ch_sleep(1000000);
      activate [ch_in(scope)] { total += own; }
    }
    activate [ch_in(scope)] (copied) { total += copied; }
  } finish;
}

static void by_address(int n) {
  do {
    int all[2] = {n, 2 * n};
    activate [ch_in(ch_scope_here())] add(&all[0]);
    activate [ch_in(ch_scope_here())] add(all + 1);
  } finish;
}

static int by_return(int n) {
  do {
    int own[n];
    own[n - 1] = n;
    activate [ch_in(ch_scope_here())] {
      ch_sleep(1000000);
      total += own[n - 1];
    }
    return 0;
  } finish;
}

static void in_blocks(int n) { // which would share their memory
  do {
    activate (n) { overwrite(n); }
    if (n > 0) {
      int first[64] = {n};
      activate [ch_in(ch_scope_here())] { add(&first[0]); }
    }
    if (n > 1) {
      int second[64] = {2 * n};
      activate [ch_in(ch_scope_here())] { add(&second[0]); }
    }
  } finish;
}

int main(void) {
  by_reference(1);
  by_address(10);
  by_return(100);
  printf("%d\n", total);
  in_blocks(1000);
  printf("%d\n", total);
}
