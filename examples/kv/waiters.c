/* Who waits for a list to get something: first come, first served. A client that waits for several keys stands in one
 * queue with all of them. Whoever pushes gives the items to those who wait, so nobody else can take them before. */
#define _GNU_SOURCE
#include "kv.h"
#include <poll.h>
#include <stdlib.h>

static struct waiter *waiters;

void begin_to_wait(struct waiter *w) { DL_APPEND(waiters, w); }

/* Puts an item back that came when its client had gone, or is to go. */
static void put_back(struct waiter *w) {
  struct text key = w->keys[w->found];
  struct entry *e = find(key);
  if (e && e->kind != LIST) {
    free(w->item);
    return;
  }
  push_item(e ? e : make(key, LIST), w->item, w->left);
  list_has_something(key);
}

int wait_for_item(struct waiter *w, int descriptor, int64_t until) {
  int64_t now = ch_now(), timeout = until == CH_FOREVER ? until : until > now ? until - now : 0;
  int gone = 0;
  bool was_posted = false;
  waituntil(ch_sem_wait(&w->ready)) { was_posted = true; }
  or waituntil(gone = ch_fd_wait(descriptor, POLLRDHUP, timeout)) {}
  atomic {
    take_data();
    if (w->found == NOT_YET)
      DL_DELETE(waiters, w);
    else if (w->found >= 0 && gone != 0)
      put_back(w);
    give_data_back();
  }
  if (w->found != NOT_YET && !was_posted) /* the post may still be on its way from another domain */
    noncancellable ch_sem_wait(&w->ready);
  return gone != 0 ? CLIENT_HAS_GONE : w->found;
}

int clients_that_wait(void) {
  struct waiter *w;
  int n;
  DL_COUNT(waiters, w, n);
  return n;
}

static void take_out(struct waiter *w, int found) {
  DL_DELETE(waiters, w);
  w->found = found;
  ch_sem_post(&w->ready);
}

bool unblock(long long client, int how) {
  struct waiter *w;
  DL_SEARCH_SCALAR(waiters, w, client, client);
  if (w)
    take_out(w, how);
  return w != NULL;
}

/* The number of the key among those that the waiter wants; -1: it is none of them. */
static int number_of(const struct waiter *w, struct text key) {
  for (int i = 0; i < w->n; i++)
    if (w->keys[i].size == key.size && memcmp(w->keys[i].at, key.at, key.size) == 0)
      return i;
  return -1;
}

void list_has_something(struct text key) {
  struct waiter *w, *next;
  DL_FOREACH_SAFE(waiters, w, next) {
    int number = number_of(w, key);
    struct entry *e = number < 0 ? NULL : find(key);
    if (number >= 0 && !e)
      return;
    if (number < 0)
      continue;
    w->item = pop_item(e, w->left);
    take_out(w, number);
  }
}
