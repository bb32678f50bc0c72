/* The commands of lists. A command that takes an item from one of several lists, or waits for one, describes what it
 * wants in a waiter (waiters.c), even if it does not wait. */
#define _GNU_SOURCE
#include "commands.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pushing and popping ---- */

static void push(struct client *c, bool left, bool may_make) {
  bool fine;
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine)
    return;
  if (!e && !may_make)
    return add_number(&c->out, 0);
  e = e ? e : make(argument(c, 1), LIST);
  for (int i = 2; i < c->command.count; i++)
    push_item(e, new_item(argument(c, i)), left);
  add_number(&c->out, (long long)e->size);
  list_has_something(argument(c, 1));
}
void lpush(struct client *c) { push(c, true, true); }
void rpush(struct client *c) { push(c, false, true); }
void lpushx(struct client *c) { push(c, true, false); }
void rpushx(struct client *c) { push(c, false, false); }

static void add_item(struct client *c, const struct item *item) {
  if (item)
    add_text(&c->out, item->bytes, item->size);
  else
    add_nothing(&c->out);
}

static void add_and_free(struct client *c, struct item *item) {
  add_item(c, item);
  free(item);
}

static void pop(struct client *c, bool left) {
  bool fine;
  long long n = -1;
  if (c->command.count > 2 && (!integer(argument(c, 2), &n) || n < 0))
    return add_error(&c->out, "ERR value is out of range, must be positive");
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine)
    return;
  if (!e)
    return n < 0 ? add_nothing(&c->out) : add_array(&c->out, -1);
  if (n < 0)
    return add_and_free(c, pop_item(e, left));
  n = n < (long long)e->size ? n : (long long)e->size;
  add_array(&c->out, n);
  while (n-- > 0)
    add_and_free(c, pop_item(e, left));
}
void lpop(struct client *c) { pop(c, true); }
void rpop(struct client *c) { pop(c, false); }

/* ---- items of one of several lists, at once or after a wait ---- */

/* Replies what the waiter has got: an item that was moved, or a key with an item or with several. */
static void add_found(struct client *c, struct waiter *w) {
  struct item *i, *next;
  long long n;
  if (!w->destination) {
    add_array(&c->out, 2);
    add_text(&c->out, w->keys[w->found].at, w->keys[w->found].size);
  }
  DL_COUNT(w->items, i, n);
  if (w->several)
    add_array(&c->out, n);
  DL_FOREACH_SAFE(w->items, i, next)
  add_and_free(c, i);
}

/* Takes items of the first of the lists that has something. False: none has; otherwise the client was told. */
static bool take_now(struct client *c, struct waiter *w) {
  for (int i = 0; i < w->n; i++) {
    struct entry *e = find(w->keys[i]);
    if (!e)
      continue;
    if (e->kind != LIST || !give_items(w, i, e))
      add_error(&c->out, "%s", wrong_kind);
    else
      add_found(c, w);
    return true;
  }
  return false;
}

/* Waits until one of the lists has something. In a transaction it does not wait. */
static void take_or_wait(struct client *c, struct waiter *w, int64_t until) {
  bool done;
  if (c->executing) {
    if (!take_now(c, w))
      add_array(&c->out, -1);
    return;
  }
  atomic {
    take_data();
    done = take_now(c, w);
    if (!done)
      begin_to_wait(w);
    serve_waiters();
    give_data_back();
  }
  if (done)
    return;
  send_replies(c); /* the client gets the replies to earlier commands before it waits */
  int found = wait_for_item(w, c->descriptor, until);
  c->closing |= found == CLIENT_HAS_GONE;
  if (found >= 0)
    add_found(c, w);
  else if (found == UNBLOCKED_BY_ERROR)
    add_error(&c->out, "UNBLOCKED client unblocked via CLIENT UNBLOCK");
  else if (found == WRONG_DESTINATION)
    add_error(&c->out, "%s", wrong_kind);
  else
    add_array(&c->out, -1);
}

/* Reads a timeout in seconds into *until, a time on the clock of ch_now. False: it is none; the client has been told.
 */
static bool read_timeout(struct client *c, struct text seconds, int64_t *until) {
  char text[32] = "", *end;
  memcpy(text, seconds.at, seconds.size < 31 ? seconds.size : 31);
  double n = strtod(text, &end);
  if (*end || end == text || isnan(n))
    return add_error(&c->out, "ERR timeout is not a float or out of range"), false;
  if (n < 0)
    return add_error(&c->out, "ERR timeout is negative"), false;
  *until = n == 0 || n > 9e9 ? CH_FOREVER : ch_now() + (int64_t)(n * 1e9);
  return true;
}

/* What a command wants of the lists whose keys begin at this argument. */
static struct waiter wish(struct client *c, int first, int n, bool left) {
  return (struct waiter){
      .keys = c->command.argument + first, .n = n, .left = left, .most = 1, .client = c->id, .found = NOT_YET};
}

static void pop_or_wait(struct client *c, bool left) {
  int last = c->command.count - 1;
  int64_t until;
  struct waiter w = wish(c, 1, last - 1, left);
  if (read_timeout(c, argument(c, last), &until))
    take_or_wait(c, &w, until);
}
void blpop(struct client *c) { pop_or_wait(c, true); }
void brpop(struct client *c) { pop_or_wait(c, false); }

/* The end of a list that an argument names. False: it names none; the client has been told. */
static bool read_end(struct client *c, int i, bool *left) {
  *left = is(argument(c, i), "LEFT");
  if (*left || is(argument(c, i), "RIGHT"))
    return true;
  add_error(&c->out, "%s", syntax);
  return false;
}

/* From the first key to the second one. */
static struct waiter wish_to_move(struct client *c, bool left, bool to_left) {
  struct waiter w = wish(c, 1, 1, left);
  w.destination = &c->command.argument[2];
  w.to_left = to_left;
  return w;
}
static void move(struct client *c, bool left, bool to_left) {
  struct waiter w = wish_to_move(c, left, to_left);
  if (!take_now(c, &w))
    add_nothing(&c->out);
}
void lmove(struct client *c) {
  bool left, to_left;
  if (read_end(c, 3, &left) && read_end(c, 4, &to_left))
    move(c, left, to_left);
}
void rpoplpush(struct client *c) { move(c, false, true); }
static void move_or_wait(struct client *c, int timeout, bool left, bool to_left) {
  int64_t until;
  struct waiter w = wish_to_move(c, left, to_left);
  if (read_timeout(c, argument(c, timeout), &until))
    take_or_wait(c, &w, until);
}
void blmove(struct client *c) {
  bool left, to_left;
  if (read_end(c, 3, &left) && read_end(c, 4, &to_left))
    move_or_wait(c, 5, left, to_left);
}
void brpoplpush(struct client *c) { move_or_wait(c, 3, false, true); }

/* Reads how many keys there are, the keys, an end, and perhaps how many items. False: the client has been told. */
static bool read_several(struct client *c, int at, struct waiter *w) {
  long long n, most = 1;
  bool left;
  if (!integer(argument(c, at), &n) || n <= 0)
    return add_error(&c->out, "ERR numkeys should be greater than 0"), false;
  int end = n < c->command.count ? at + 1 + (int)n : c->command.count;
  if (end >= c->command.count)
    return add_error(&c->out, "%s", syntax), false;
  if (!read_end(c, end, &left))
    return false;
  if (end + 1 < c->command.count) {
    if (end + 3 != c->command.count || !is(argument(c, end + 1), "COUNT"))
      return add_error(&c->out, "%s", syntax), false;
    if (!integer(argument(c, end + 2), &most) || most <= 0)
      return add_error(&c->out, "ERR count should be greater than 0"), false;
  }
  *w = wish(c, at + 1, (int)n, left);
  w->most = most;
  w->several = true;
  return true;
}
void lmpop(struct client *c) {
  struct waiter w;
  if (read_several(c, 1, &w) && !take_now(c, &w))
    add_array(&c->out, -1);
}
void blmpop(struct client *c) {
  struct waiter w;
  int64_t until;
  if (read_timeout(c, argument(c, 1), &until) && read_several(c, 2, &w))
    take_or_wait(c, &w, until);
}

/* ---- items by their places ---- */

static struct item *item_at(struct entry *e, long long n) {
  if (n < 0)
    n += (long long)e->size;
  if (n < 0 || n >= (long long)e->size)
    return NULL;
  struct item *i = e->items;
  if (n <= (long long)e->size / 2)
    while (n-- > 0)
      i = i->next;
  else
    for (n = (long long)e->size - n; n > 0; n--)
      i = i->prev;
  return i;
}

/* The list and the range in it that the arguments name. False: the client has been told what is wrong. */
static bool list_and_range(struct client *c, struct entry **e, long long *first, long long *last) {
  bool fine;
  if (!range_of(c, first, last))
    return false;
  *e = find_kind(c, 1, LIST, &fine);
  if (fine)
    place_range(*e ? (long long)(*e)->size : 0, first, last);
  return fine;
}

void lrange(struct client *c) {
  struct entry *e;
  long long first, last;
  if (!list_and_range(c, &e, &first, &last))
    return;
  if (!e || first > last)
    return add_array(&c->out, 0);
  add_array(&c->out, last - first + 1);
  for (struct item *i = item_at(e, first); first <= last; first++, i = i->next)
    add_text(&c->out, i->bytes, i->size);
}

void lindex(struct client *c) {
  bool fine;
  long long n;
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (fine && (!e || integer_or_error(c, 2, &n)))
    add_item(c, e ? item_at(e, n) : NULL);
}

void lset(struct client *c) {
  bool fine;
  long long n;
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine)
    return;
  if (!e)
    return add_error(&c->out, "ERR no such key");
  if (!integer_or_error(c, 2, &n))
    return;
  struct item *before = item_at(e, n), *now;
  if (!before)
    return add_error(&c->out, "ERR index out of range");
  now = new_item(argument(c, 3));
  DL_REPLACE_ELEM(e->items, before, now);
  free(before);
  touch(e);
  add_status(&c->out, "OK");
}

void ltrim(struct client *c) {
  struct entry *e;
  long long first, last, n = 0;
  if (!list_and_range(c, &e, &first, &last))
    return;
  if (e) {
    touch(e);
    struct item *i, *next;
    DL_FOREACH_SAFE(e->items, i, next)
    if (n++ < first || n - 1 > last) {
      DL_DELETE(e->items, i);
      free(i);
      e->size--;
    }
    if (e->size == 0)
      drop(e);
  }
  add_status(&c->out, "OK");
}

/* ---- items by their values ---- */

static bool has_value(const struct item *i, struct text value) {
  return i->size == value.size && memcmp(i->bytes, value.at, value.size) == 0;
}

void linsert(struct client *c) {
  bool fine, before = is(argument(c, 2), "BEFORE");
  if (!before && !is(argument(c, 2), "AFTER"))
    return add_error(&c->out, "%s", syntax);
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine)
    return;
  struct item *i = e ? e->items : NULL;
  while (i && !has_value(i, argument(c, 3)))
    i = i->next;
  if (!i)
    return add_number(&c->out, e ? -1 : 0);
  struct item *now = new_item(argument(c, 4));
  if (before)
    DL_PREPEND_ELEM(e->items, i, now);
  else
    DL_APPEND_ELEM(e->items, i, now);
  touch(e);
  add_number(&c->out, (long long)++e->size);
}

/* The item after or before one; NULL: there is none. */
static struct item *next_of(const struct entry *e, const struct item *i, bool backwards) {
  return !backwards ? i->next : i == e->items ? NULL : i->prev;
}
static struct item *first_of(const struct entry *e, bool backwards) {
  return !e || !backwards ? (e ? e->items : NULL) : e->items->prev;
}

void lrem(struct client *c) {
  bool fine;
  long long n, removed = 0;
  if (!integer_or_error(c, 2, &n))
    return;
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine)
    return;
  bool backwards = n < 0;
  unsigned long long most = n == 0 ? ULLONG_MAX : backwards ? -(unsigned long long)n : (unsigned long long)n;
  for (struct item *i = first_of(e, backwards), *next; i && most > 0; i = next) {
    next = next_of(e, i, backwards);
    if (!has_value(i, argument(c, 3)))
      continue;
    DL_DELETE(e->items, i);
    free(i);
    e->size--;
    removed++;
    most--;
  }
  if (removed > 0)
    touch(e);
  if (e && e->size == 0)
    drop(e);
  add_number(&c->out, removed);
}

struct search {
  long long rank;    /* which match is the first; negative: counted from the end */
  long long count;   /* how many matches are wanted */
  long long longest; /* in how many items they are looked for */
};

/* Reads the options of LPOS. False: the client has been told. */
static bool read_search(struct client *c, struct search *s) {
  for (int i = 3; i < c->command.count; i += 2) {
    struct text option = argument(c, i);
    long long *to = is(option, "RANK")     ? &s->rank
                    : is(option, "COUNT")  ? &s->count
                    : is(option, "MAXLEN") ? &s->longest
                                           : NULL;
    if (!to || i + 1 == c->command.count)
      return add_error(&c->out, "%s", syntax), false;
    if (!integer_or_error(c, i + 1, to))
      return false;
    if (to == &s->rank && *to == LLONG_MIN)
      return add_error(&c->out, "ERR value is out of range"), false;
    if (to == &s->rank && *to == 0)
      return add_error(&c->out, "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or "
                                "use negative to start from the end of the list"),
             false;
    if (to != &s->rank && *to < 0)
      return add_error(&c->out, "ERR %s can't be negative", to == &s->count ? "COUNT" : "MAXLEN"), false;
  }
  return true;
}

void lpos(struct client *c) {
  bool fine;
  struct search s = {.rank = 1, .count = -1};
  struct buffer places = {0};
  long long n = 0, looked = 0;
  if (!read_search(c, &s))
    return;
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine)
    return;
  bool backwards = s.rank < 0;
  long long skip = (backwards ? -s.rank : s.rank) - 1, most = s.count < 0 ? 1 : s.count ? s.count : LLONG_MAX;
  for (struct item *i = first_of(e, backwards); i && n < most; i = next_of(e, i, backwards)) {
    if (s.longest && looked == s.longest)
      break;
    if (has_value(i, argument(c, 2)) && skip-- <= 0) {
      add_number(&places, backwards ? (long long)e->size - 1 - looked : looked);
      n++;
    }
    looked++;
  }
  if (s.count >= 0)
    add_array(&c->out, n);
  if (n > 0)
    add_bytes(&c->out, places.at, places.used);
  else if (s.count < 0)
    add_nothing(&c->out);
  free(places.at);
}
