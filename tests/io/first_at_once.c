/* Two threads wait for the first time at once. The kernel gives a ring to the first that asks, and refuses the second
 * one. They must have one reactor nevertheless: a wait in a reactor that is not polled any more never ends. */
#include <charcoal.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

extern int asked, refused_first; /* of first_at_once-beneath.c */
static pthread_barrier_t both;

static void *waits(void *unused) {
  int ends[2];
  char byte = 0;
  (void)unused;
  if (pipe(ends) != 0)
    return "pipe";
  pthread_barrier_wait(&both);
  do {
    async read(ends[0], &byte, 1);
    async {
      for (int i = 0; i < 10 || (i < 500 && __atomic_load_n(&asked, __ATOMIC_SEQ_CST) < 2); i++)
        ch_sleep(1000000);
      ch_sleep(300000000); /* until the second one has its answer */
      byte = 'x';
      if (write(ends[1], &byte, 1) != 1)
        perror("write");
      byte = 0;
    }
  }
  finish;
  return byte == 'x' ? NULL : "the read has brought something else";
}

int main(int n, char **words) {
  pthread_t threads[2];
  int failed = 0;
  alarm(20);
  refused_first = n > 1;
  pthread_barrier_init(&both, NULL, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, waits, NULL);
  for (int i = 0; i < 2; i++) {
    void *what;
    pthread_join(threads[i], &what);
    failed += what != NULL;
    if (what)
      printf("%s\n", (char *)what);
  }
  return failed;
}
