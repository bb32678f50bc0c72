/* Clients that wait for an item of a list are served in the order in which they came. A client that waits for several
 * keys stands in one queue with all of them. Items are handed to the waiting clients at the end of the command, or of
 * the transaction, that has pushed them, so nobody else can take them before. */
#define _GNU_SOURCE
#include "kv.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>

static struct waiter *waiters;

struct key {
  struct key *prev, *next;
  size_t size;
  char bytes[];
};
static struct key *filled; /* keys of lists that may have something for those who wait */

void begin_to_wait(struct waiter *w) { DL_APPEND(waiters, w); }

void list_has_something(struct text key) {
  if (!waiters)
    return;
  struct key *k = malloc(sizeof *k + key.size);
  k->size = key.size;
  memcpy(k->bytes, key.at, key.size);
  DL_APPEND(filled, k);
}

/* Moves an item to another list; the waiter gets a copy. False: there is no list there. */
static bool move_item(struct waiter *w, struct entry *from) {
  struct entry *to = find(*w->destination);
  if (to && to->kind != LIST)
    return false;
  struct item *item = take_item(from, w->left), *copy = new_item((struct text){item->bytes, item->size});
  DL_APPEND(w->items, copy);
  push_item(to ? to : make(*w->destination, LIST), item, w->to_left);
  drop_if_empty(from);
  list_has_something(*w->destination);
  return true;
}

bool give_items(struct waiter *w, int number, struct entry *e) {
  w->found = number;
  if (w->destination)
    return move_item(w, e);
  for (long long n = 0; n < w->most && e->size > 0; n++) {
    struct item *item = take_item(e, w->left);
    DL_APPEND(w->items, item);
  }
  drop_if_empty(e);
  return true;
}

/* Puts the items back that came when their client had gone, or is to go. What was moved stays where it is. */
static void put_back(struct waiter *w) {
  struct text key = w->keys[w->found];
  struct entry *e = find(key);
  bool fits = !w->destination && (!e || e->kind == LIST);
  while (w->items) {
    struct item *last = w->items->prev;
    DL_DELETE(w->items, last);
    if (fits)
      push_item(e ? e : (e = make(key, LIST)), last, w->left);
    else
      free(last);
  }
  if (fits)
    list_has_something(key);
  serve_waiters();
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

/* Gives the items of this key's list to those who wait for them. */
static void serve_key(struct text key) {
  struct waiter *w, *next;
  DL_FOREACH_SAFE(waiters, w, next) {
    int number = number_of(w, key);
    struct entry *e = number < 0 ? NULL : find(key);
    if (number >= 0 && (!e || e->kind != LIST))
      return;
    if (number >= 0)
      take_out(w, give_items(w, number, e) ? number : WRONG_DESTINATION);
  }
}

void serve_waiters(void) {
  while (filled) {
    struct key *k = filled;
    DL_DELETE(filled, k);
    serve_key((struct text){k->bytes, k->size});
    free(k);
  }
}
