/* Who waits for a list to get something: first come, first served. A client that waits for several keys stands in one
 * queue with all of them. */
#include "kv.h"

struct waiter {
  struct waiter *prev, *next;
  const struct text *keys;
  int n, found; /* found: the number of the key that has something; -1 while there is none */
  ch_sem ready;
};
static struct waiter *waiters;

int wait_for_list(const struct text *keys, int n, int64_t timeout) {
  struct waiter me = {.keys = keys, .n = n, .found = -1};
  DL_APPEND(waiters, &me);
  int error = timeout == CH_FOREVER ? ch_sem_wait(&me.ready) : ch_sem_timedwait(&me.ready, timeout);
  if (error && me.found < 0)
    DL_DELETE(waiters, &me);
  return me.found;
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
