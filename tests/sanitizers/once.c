/* ThreadSanitizer has its own pthread_once for plain code, and interruptible code has the runtime's: the function runs
 * once, whichever of them comes first, and who asks meanwhile finds it done. */
#include <charcoal.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t first_ours = PTHREAD_ONCE_INIT, first_plain = PTHREAD_ONCE_INIT;
static atomic_int begun, asked, runs;
static int done; /* not atomic: the sanitizer sees whether who asks comes after it */

static void slowly(void) {
  runs++;
  begun = 1;
  while (!asked)
    usleep(1000);
  usleep(20000);
  done = 1;
}

static void *asks_in_plain_code(void *unused) {
  (void)unused;
  while (!begun)
    usleep(1000);
  asked = 1;
  atomic { pthread_once(&first_ours, slowly); }
  return (void *)(intptr_t)done;
}

static void *runs_in_plain_code(void *unused) {
  (void)unused;
  atomic { pthread_once(&first_plain, slowly); }
  return NULL;
}

int main(void) {
  pthread_t thread;
  void *seen;
  pthread_create(&thread, NULL, asks_in_plain_code, NULL);
  pthread_once(&first_ours, slowly);
  pthread_join(thread, &seen);
  printf("%d run, done for the thread: %d\n", runs, (int)(intptr_t)seen);

  begun = asked = runs = done = 0;
  pthread_create(&thread, NULL, runs_in_plain_code, NULL);
  while (!begun)
    usleep(1000);
  asked = 1;
  pthread_once(&first_plain, slowly);
  printf("%d run, done here: %d\n", runs, done);
  pthread_join(thread, NULL);
}
