/* Two activities wait for two conditions, in a program whose malloc signals a condition. */
#include <charcoal.h>
#include <pthread.h>
#include <unistd.h>

extern int signals; /* of first_line-beneath.c: malloc does that */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int over;

static void wait_for(int i) {
  pthread_mutex_lock(&mutex);
  while (!over) pthread_cond_wait(&conditions[i], &mutex);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  alarm(20);
  do {
    async wait_for(0);
    signals = 1;
    async wait_for(1);
    signals = 0;
    pthread_mutex_lock(&mutex);
    over = 1;
    for (int i = 0; i < 2; i++) pthread_cond_signal(&conditions[i]);
    pthread_mutex_unlock(&mutex);
  }
  finish;
  return 0;
}
