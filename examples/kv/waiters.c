/* Who waits for a list to get something: first come, first served. A client that waits for several keys stands in one
 * queue with all of them. */
#include "kv.h"

static struct waiter *waiters;

void begin_to_wait(struct waiter *w) { DL_APPEND(waiters, w); }

int wait_for_list(struct waiter *w, int64_t timeout) {
  int error = timeout == CH_FOREVER ? ch_sem_wait(&w->ready) : ch_sem_timedwait(&w->ready, timeout);
  if (error && w->found < 0)
    DL_DELETE(waiters, w);
  return w->found;
}

int clients_that_wait(void) {
  struct waiter *w;
  int n;
  DL_COUNT(waiters, w, n);
  return n;
}

void list_has_something(struct text key) {
  struct waiter *w;
  DL_FOREACH(waiters, w)
  for (int i = 0; i < w->n; i++)
    if (w->keys[i].size == key.size && memcmp(w->keys[i].at, key.at, key.size) == 0) {
      DL_DELETE(waiters, w);
      w->found = i;
      ch_sem_post(&w->ready);
      return;
    }
}
