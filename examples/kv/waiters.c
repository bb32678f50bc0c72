/* Who waits for a list to get something: first come, first served. A client that waits for several keys stands in one
 * queue with all of them. */
#define _GNU_SOURCE
#include "kv.h"
#include <poll.h>

static struct waiter *waiters;

void begin_to_wait(struct waiter *w) { DL_APPEND(waiters, w); }

int wait_for_list(struct waiter *w, int client, int64_t until) {
  int64_t now = ch_now(), timeout = until == CH_FOREVER ? until : until > now ? until - now : 0;
  int gone = 0;
  waituntil(ch_sem_wait(&w->ready)) {}
  or waituntil(gone = ch_fd_wait(client, POLLRDHUP, timeout)) {}
  if (w->found < 0)
    DL_DELETE(waiters, w);
  if (gone <= 0)
    return w->found < 0 ? TIME_IS_OVER : w->found;
  if (w->found >= 0) /* both at once: the list is for the next client */
    atomic list_has_something(w->keys[w->found]);
  return CLIENT_HAS_GONE;
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
