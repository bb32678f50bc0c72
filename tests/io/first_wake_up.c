/* While main's domain asks who could wake it, the domain of another thread is woken for the first time, and ends. The
 * thread goes on without a domain, and wakes main later. That is no deadlock. */
#include <charcoal.h>
#include <unistd.h>

ch_sem first = CH_SEM_INIT(0), last = CH_SEM_INIT(0); /* of the other thread's domain, and of main's */
extern int stands;                                    /* of first_wake_up-beneath.c, as the next one is */
void start_threads(void);

int main(void) {
  alarm(60);
  start_threads();
  while (!__atomic_load_n(&stands, __ATOMIC_SEQ_CST)) usleep(1000);
  usleep(200000); /* until it sleeps */
  return ch_sem_wait(&last);
}
