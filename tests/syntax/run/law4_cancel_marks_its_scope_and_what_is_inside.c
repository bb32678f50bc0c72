// Law 4: `cancel` marks the scope that it names and every one in it; scopes opened later inside inherit the mark; inside
// `noncancellable` it is not seen. A call either says ECANCELED and has had no effect, or has had its whole effect.
// In virtual time.
#include <charcoal.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static ch_sem never, some;

static const char *said(int error) { return error == ECANCELED ? "cancelled" : error ? strerror(error) : "done"; }

static noncancellable int whole_nap(int ms) { return ch_sleep(ms * 1000000LL); }

static void report(const char *what, int error) { printf("%s: %s, %d\n", what, said(error), ch_cancelled()); }

static void inner_scopes(void) {
  int a = 0, b = 0, c = 0;
  do {
    async a = ch_sem_wait(&never);
    do {
      async b = ch_sem_wait(&never);
      noncancellable { c = ch_sleep(1000000); }
    } finish;
  } finish;
  printf("nested: %s, %s, %s, %d\n", said(a), said(b), said(c), ch_cancelled());
}

int main(void) {
  int a = 0, b = 0, c = 0, d = 0;
  ch_sem_init(&never, 0);
  ch_sem_init(&some, 0);

  // Those who wait, and those who come later; not what is outside.
outer:
  do {
    async a = ch_sem_wait(&never);
    do {
      async b = ch_sem_wait(&never);
      cancel;
      c = ch_sleep(1);
      report("in the scope", ch_sem_trywait(&never) == EAGAIN ? 0 : -1);
    } finish;
    d = ch_sleep(1);
    report("behind the scope", d);
    printf("%s %s\n", said(b), said(c));
    do {
      async {
        ch_sleep(1000000);
        cancel outer;
        report("canceller", ch_sleep(1));
        do {
          report("a scope opened later", ch_sleep(1));
          noncancellable {
            report("noncancellable", ch_sleep(1));
            do {
              report("a scope in it", ch_sleep(1));
              cancel;
              report("cancelled itself", ch_sleep(1));
            } finish;
          }
        } finish;
      }
      b = ch_sem_wait(&never);
      report("who waited", b);
    } finish;
    report("outer", ch_sleep(1));
  } finish;
  printf("%s, %d\n", said(a), ch_cancelled());

  // Into functions that know nothing of it, and their own scopes.
  do {
    async inner_scopes();
    cancel;
  } finish;

  // A function that is noncancellable, and a statement.
  do {
    async a = whole_nap(2);
    async noncancellable b = ch_sleep(2000000);
    async c = ch_sleep(2000000);
    cancel;
    d = whole_nap(1);
  } finish;
  printf("%s, %s, %s, %s\n", said(a), said(b), said(c), said(d));

  // Exact: a unit that was taken is not lost, one that was not stays.
  int taken = 0, refused = 0;
  do {
    for (int i = 0; i < 5; i++)
      async {
        int error = ch_sem_wait(&some);
        error ? refused++ : taken++;
      }
    ch_sem_post(&some);
    ch_sem_post(&some);
    cancel;
    ch_sem_post(&some);
  } finish;
  int left = 0;
  while (ch_sem_trywait(&some) == 0)
    left++;
  printf("%d taken, %d refused, %d left\n", taken, refused, left);

  // From inside a branch of a branch, by name, past a nested scope.
first:
  do {
    async {
      do {
        async {
          ch_sleep(1000);
          cancel first;
        }
        a = ch_sem_wait(&never);
      } finish;
    }
    b = ch_sem_wait(&never);
  } finish;
  printf("%s, %s, %d\n", said(a), said(b), ch_cancelled());

  // Twice is once; a scope that has been cancelled can be opened again.
  for (int i = 0; i < 2; i++) {
  again:
    do {
      async d = ch_sem_wait(&never);
      cancel again;
      cancel;
    } finish;
  }
  printf("%s, %s\n", said(d), said(ch_sleep(1)));

  // A whole activity, as if a finish stood around its body.
  ch_activity activity;
  activate [&activity] {
    report("an activity", ch_sem_wait(&never));
    report("and later", ch_sleep(1));
    noncancellable report("but here", ch_sleep(1));
  }
  ch_sleep(1000);
  ch_activity_cancel(&activity);
  ch_activity_wait(&activity);
}
