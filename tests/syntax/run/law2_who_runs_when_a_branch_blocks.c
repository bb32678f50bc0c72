// Law 2: when a branch blocks, the nearest enclosing `async` whose continuation has not run goes on; failing that the
// activity's next ready branch, first in, first out; failing that the next activity.
#include <charcoal.h>
#include <stdio.h>
#include <string.h>

static ch_sem gate, other, last;
static char text[200];

static void note(const char *what) { strcat(strcat(text, " "), what); }

static void end(const char *title) {
  printf("%s:%s\n", title, text);
  text[0] = 0;
}

static void deep(int n, ch_sem *s) {
  if (n)
    deep(n - 1, s);
  else
    ch_sem_wait(s);
}

int main(void) {
  ch_activity helper;
  ch_sem_init(&gate, 0);
  ch_sem_init(&other, 0);
  ch_sem_init(&last, 0);

  activate [&helper] {
    ch_sleep(10000000); // virtual time: it passes when nothing can run
    note("9");
    ch_sem_post(&other);
    ch_sem_post(&other);
    ch_sem_post(&last);
  }
  do {
    async {
      note("1");
      async {
        note("2");
        deep(5, &gate);
        note("6");
        async {
          note("7");
          deep(2, &other);
          note("11");
        }
        note("8");
      }
      note("3"); // the nearest continuation, not the outer one
      deep(1, &other);
      note("10");
    }
    note("4");
    ch_sem_post(&gate);
    note("5"); // ready is not running
    deep(3, &last);
    note("12");
    do // its own end blocks as well
      async { note("13"); ch_reschedule(); note("14"); }
    finish;
  } finish;
  end("continuations");
  ch_activity_wait(&helper);

  // Ready branches run in the order in which they became ready.
  do {
    for (int i = 0; i < 3; i++)
      async {
        const char *own[] = {"a", "b", "c"};
        int k = i;
        deep(k, &gate);
        note(own[k]);
      }
    ch_sem_post(&gate);
    ch_sem_post(&gate);
    ch_sem_post(&gate);
    note("posted");
  } finish;
  end("first in, first out");
}
