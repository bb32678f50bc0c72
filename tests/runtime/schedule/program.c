/* Two activities add to one number and write down in which order they came. Arguments: how (lost, atomic, asserted,
 * crash, abort, deadlock), and the number of additions each. Status 1: something was lost. */
#include <charcoal.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count;
static char order[1000], *end = order;

static void come(int who) { *end++ = (char)('a' + who); }
static int *volatile nowhere;

static void add(int who) {
  int old = count;
  come(who);
  count = old + 1;
}

/* A function that calls setjmp is set aside with its part of the native stack. */
static void add_below_setjmp(int who) {
  jmp_buf unused;
  if (setjmp(unused) == 0)
    assert_no_yield { add(who); }
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "lost";
  int times = argc > 2 ? atoi(argv[2]) : 2;
  ch_activity adders[2];
  for (int i = 0; i < 2; i++)
    activate[&adders[i]](i) {
      for (int n = 0; n < times; n++)
        if (strcmp(how, "atomic") == 0)
          atomic add(i);
        else if (strcmp(how, "asserted") == 0)
          add_below_setjmp(i);
        else
          add(i);
    }
  for (int i = 0; i < 2; i++)
    ch_activity_wait(&adders[i]);
  printf("%s\n", order);
  fflush(stdout);
  if (strcmp(how, "crash") == 0)
    *nowhere = 1;
  if (strcmp(how, "abort") == 0)
    abort();
  if (strcmp(how, "deadlock") == 0)
    ch_sem_wait(&(ch_sem)CH_SEM_INIT(0));
  return count != 2 * times;
}
