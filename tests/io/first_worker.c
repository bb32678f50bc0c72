/* A thread forks while another one gives the pool its first job, and an activity waits for a condition. Fork takes all
 * locks of the runtime; so nobody may ask for one of them while it has another, unless that is their order. */
#include <charcoal.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

extern int making; /* of first_worker-beneath.c */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int over, status;

static void nothing(void *unused) { (void)unused; }
static void *forks(void *unused) {
  while (!__atomic_load_n(&making, __ATOMIC_SEQ_CST)) usleep(1000);
  pid_t child = fork();
  if (child == 0)
    _exit(3);
  waitpid(child, &status, 0);
  return unused;
}

int main(void) {
  pthread_t forker;
  int error;
  alarm(20);
  pthread_create(&forker, NULL, forks, NULL);
  do {
    async {
      pthread_mutex_lock(&mutex);
      while (!over) pthread_cond_wait(&condition, &mutex);
      pthread_mutex_unlock(&mutex);
    }
    error = ch_offload(nothing, NULL);
    pthread_mutex_lock(&mutex);
    over = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  finish;
  pthread_join(forker, NULL);
  return error || status != 3 << 8;
}
