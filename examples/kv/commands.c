/* The commands. Each is a function of the client; a table says how it is called. A command that never waits has the
 * data from its beginning to its end, so no other client's comes in between. Those that wait take the data for their
 * changes themselves. */
#define _GNU_SOURCE
#include "kv.h"
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char wrong_kind[] = "WRONGTYPE Operation against a key holding the wrong kind of value";
static const char no_integer[] = "ERR value is not an integer or out of range";
static const char syntax[] = "ERR syntax error";

static struct text argument(struct client *c, int i) { return c->command.argument[i]; }

static bool is(struct text t, const char *word) {
  return t.size == strlen(word) && strncasecmp(t.at, word, t.size) == 0;
}

/* As redis reads numbers: no blanks, no '+', no zeros in front. */
static bool integer(struct text t, long long *n) {
  bool negative = t.size > 1 && *t.at == '-';
  size_t first = negative;
  *n = 0;
  if (t.size <= first || (t.at[first] == '0' && t.size > 1))
    return false;
  for (size_t i = first; i < t.size; i++) {
    int digit = t.at[i] - '0';
    if (digit < 0 || digit > 9 || __builtin_mul_overflow(*n, 10, n) ||
        __builtin_add_overflow(*n, negative ? -digit : digit, n))
      return false;
  }
  return true;
}

static bool integer_or_error(struct client *c, int i, long long *n) {
  if (integer(argument(c, i), n))
    return true;
  add_error(&c->out, "%s", no_integer);
  return false;
}

/* The entry, if it is of this kind. *fine: false when it is of another; the client has been told. */
static struct entry *find_kind(struct client *c, int i, enum kind kind, bool *fine) {
  struct entry *e = find(argument(c, i));
  *fine = !e || e->kind == kind;
  if (!*fine)
    add_error(&c->out, "%s", wrong_kind);
  return e;
}

/* The same; made if there is none. NULL: told. */
static struct entry *find_or_make(struct client *c, int i, enum kind kind) {
  bool fine;
  struct entry *e = find_kind(c, i, kind, &fine);
  return !fine ? NULL : e ? e : make(argument(c, i), kind);
}

static void add_string(struct client *c, const struct entry *e) {
  if (e)
    add_text(&c->out, e->value, e->size);
  else
    add_nothing(&c->out);
}

/* ---- the connection ---- */

static void ping(struct client *c) {
  struct text said = c->command.count > 1 ? argument(c, 1) : (struct text){"", 0};
  if (c->subscribed > 0) { /* replies look like messages there */
    add_array(&c->out, 2);
    add_text(&c->out, "pong", 4);
    add_text(&c->out, said.at, said.size);
  } else if (c->command.count > 1)
    add_text(&c->out, said.at, said.size);
  else
    add_status(&c->out, "PONG");
}
static void echo(struct client *c) { add_text(&c->out, argument(c, 1).at, argument(c, 1).size); }
static void ok(struct client *c) { add_status(&c->out, "OK"); }
static void nothing(struct client *c) { add_array(&c->out, 0); }
static void quit(struct client *c) {
  ok(c);
  send_replies(c);
  c->closing = true;
}
static void select_database(struct client *c) {
  long long n;
  if (integer_or_error(c, 1, &n)) {
    if (n == 0)
      ok(c);
    else
      add_error(&c->out, "ERR DB index is out of range");
  }
}
/* As redis says it: printable, and no blanks. */
static bool is_client_name(struct text name) {
  for (size_t i = 0; i < name.size; i++)
    if (name.at[i] < '!' || name.at[i] > '~')
      return false;
  return true;
}
static void set_client_name(struct client *c, struct text name) {
  if (!is_client_name(name))
    return add_error(&c->out, "ERR Client names cannot contain spaces, newlines or special characters.");
  free(c->name);
  c->name = name.size ? strndup(name.at, name.size) : NULL;
  ok(c);
}
static void unblock_client(struct client *c) {
  bool as_error = c->command.count == 4 && is(argument(c, 3), "ERROR");
  long long number;
  if (c->command.count == 4 && !as_error && !is(argument(c, 3), "TIMEOUT"))
    return add_error(&c->out, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  if (integer_or_error(c, 2, &number))
    add_number(&c->out, unblock(number, as_error ? UNBLOCKED_BY_ERROR : UNBLOCKED));
}
static void client(struct client *c) {
  struct text what = argument(c, 1);
  if (is(what, "ID") && c->command.count == 2) {
    add_number(&c->out, c->id);
  } else if (is(what, "GETNAME") && c->command.count == 2) {
    if (c->name)
      add_text(&c->out, c->name, strlen(c->name));
    else
      add_nothing(&c->out);
  } else if (is(what, "SETNAME") && c->command.count == 3) {
    set_client_name(c, argument(c, 2));
  } else if (is(what, "UNBLOCK") && (c->command.count == 3 || c->command.count == 4)) {
    unblock_client(c);
  } else {
    add_error(&c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try CLIENT HELP.",
              what.size < 100 ? (int)what.size : 100, what.at);
  }
}
static void info(struct client *c) {
  struct ch_stats s;
  char text[256];
  ch_stats(&s);
  int n = snprintf(text, sizeof text,
                   "# Server\r\nredis_version:7.0.0\r\n# Clients\r\nactivities:%llu\r\nblocked_clients:%d\r\n# "
                   "Keyspace\r\ndb0:keys=%u\r\n",
                   (unsigned long long)s.activities, clients_that_wait(), HASH_COUNT(entries));
  add_text(&c->out, text, (size_t)n);
}

/* ---- strings ---- */

static void set(struct client *c) {
  bool only_new = false, only_old = false, keep = false, get = false;
  int64_t expires = 0;
  for (int i = 3; i < c->command.count; i++) {
    struct text word = argument(c, i);
    long long n;
    if (is(word, "NX"))
      only_new = true;
    else if (is(word, "XX"))
      only_old = true;
    else if (is(word, "KEEPTTL"))
      keep = true;
    else if (is(word, "GET"))
      get = true;
    else if (i + 1 < c->command.count && (is(word, "EX") || is(word, "PX") || is(word, "EXAT") || is(word, "PXAT"))) {
      if (!integer_or_error(c, ++i, &n))
        return;
      long long unit = toupper((unsigned char)*word.at) == 'E' ? 1000 : 1;
      if (n <= 0 || n > INT64_MAX / 2000)
        return add_error(&c->out, "ERR invalid expire time in 'set' command");
      expires = n * unit + (word.size == 2 ? now_ms() : 0);
    } else
      return add_error(&c->out, "%s", syntax);
  }
  if (only_new && only_old)
    return add_error(&c->out, "%s", syntax);
  struct entry *e = find(argument(c, 1));
  if (get && e && e->kind != STRING)
    return add_error(&c->out, "%s", wrong_kind);
  if (get)
    add_string(c, e);
  if ((only_new && e) || (only_old && !e)) {
    if (!get)
      add_nothing(&c->out);
    return;
  }
  if (keep && e)
    expires = e->expires;
  if (e && e->kind != STRING) {
    drop(e);
    e = NULL;
  }
  if (!e)
    e = make(argument(c, 1), STRING);
  set_string(e, argument(c, 2));
  e->expires = expires;
  if (!get)
    ok(c);
}

static void get(struct client *c) {
  bool fine;
  struct entry *e = find_kind(c, 1, STRING, &fine);
  if (fine)
    add_string(c, e);
}

static void getset(struct client *c) {
  struct entry *e = find_or_make(c, 1, STRING);
  if (!e)
    return;
  if (e->value)
    add_string(c, e);
  else
    add_nothing(&c->out);
  set_string(e, argument(c, 2));
  e->expires = 0;
}

static void getdel(struct client *c) {
  bool fine;
  struct entry *e = find_kind(c, 1, STRING, &fine);
  if (fine)
    add_string(c, e);
  if (fine && e)
    drop(e);
}

static void store_string(struct client *c, int key, int value) {
  struct entry *e = find(argument(c, key));
  if (e && e->kind != STRING) {
    drop(e);
    e = NULL;
  }
  if (!e)
    e = make(argument(c, key), STRING);
  set_string(e, argument(c, value));
  e->expires = 0;
}

static void setnx(struct client *c) {
  bool is_new = !find(argument(c, 1));
  if (is_new)
    store_string(c, 1, 2);
  add_number(&c->out, is_new);
}

static void set_with_time(struct client *c, long long unit) {
  long long n;
  if (!integer_or_error(c, 2, &n))
    return;
  if (n <= 0 || n > INT64_MAX / 2000)
    return add_error(&c->out, "ERR invalid expire time");
  store_string(c, 1, 3);
  find(argument(c, 1))->expires = now_ms() + n * unit;
  ok(c);
}
static void setex(struct client *c) { set_with_time(c, 1000); }
static void psetex(struct client *c) { set_with_time(c, 1); }

static void mset(struct client *c) {
  if (c->command.count % 2 == 0)
    return add_error(&c->out, "ERR wrong number of arguments for 'mset' command");
  for (int i = 1; i < c->command.count; i += 2)
    store_string(c, i, i + 1);
  ok(c);
}

static void mget(struct client *c) {
  add_array(&c->out, c->command.count - 1);
  for (int i = 1; i < c->command.count; i++) {
    struct entry *e = find(argument(c, i));
    add_string(c, e && e->kind == STRING ? e : NULL);
  }
}

static void append(struct client *c) {
  struct entry *e = find_or_make(c, 1, STRING);
  if (!e)
    return;
  struct text more = argument(c, 2);
  e->value = realloc(e->value, e->size + more.size + 1);
  memcpy(e->value + e->size, more.at, more.size);
  add_number(&c->out, (long long)(e->size += more.size));
}

static void length_of(struct client *c, enum kind kind) {
  bool fine;
  struct entry *e = find_kind(c, 1, kind, &fine);
  if (fine)
    add_number(&c->out, !e ? 0 : kind == HASH ? (long long)HASH_COUNT(e->fields) : (long long)e->size);
}
static void length_of_string(struct client *c) { length_of(c, STRING); }
static void length_of_list(struct client *c) { length_of(c, LIST); }
static void length_of_hash(struct client *c) { length_of(c, HASH); }

/* Both ends of a range, as they were sent. */
static bool range_of(struct client *c, long long *first, long long *last) {
  return integer_or_error(c, 2, first) && integer_or_error(c, 3, last);
}

/* Makes indices that may count from the end count from the beginning, inside of `size`. */
static void place_range(long long size, long long *first, long long *last) {
  *first = *first < 0 ? (*first + size < 0 ? 0 : *first + size) : *first;
  *last = *last < 0 ? *last + size : *last >= size ? size - 1 : *last;
}

static void getrange(struct client *c) {
  bool fine;
  long long first, last;
  if (!range_of(c, &first, &last))
    return;
  struct entry *e = find_kind(c, 1, STRING, &fine);
  if (!fine)
    return;
  bool none = !e || (first < 0 && last < 0 && first > last);
  place_range(e ? (long long)e->size : 0, &first, &last);
  if (last < 0)
    last = 0;
  if (none || first > last || e->size == 0)
    add_text(&c->out, "", 0);
  else
    add_text(&c->out, e->value + first, (size_t)(last - first + 1));
}

static void count(struct client *c, long long by) {
  struct entry *e = find_or_make(c, 1, STRING);
  long long n = 0;
  char text[24];
  if (!e)
    return;
  if (e->value && !integer((struct text){e->value, e->size}, &n))
    return add_error(&c->out, "%s", no_integer);
  if (__builtin_add_overflow(n, by, &n))
    return add_error(&c->out, "ERR increment or decrement would overflow");
  set_string(e, (struct text){text, (size_t)snprintf(text, sizeof text, "%lld", n)});
  add_number(&c->out, n);
}
static void incr(struct client *c) { count(c, 1); }
static void decr(struct client *c) { count(c, -1); }
static void incrby(struct client *c) {
  long long by;
  if (integer_or_error(c, 2, &by))
    count(c, by);
}
static void decrby(struct client *c) {
  long long by;
  if (integer_or_error(c, 2, &by)) {
    if (by == INT64_MIN)
      add_error(&c->out, "ERR decrement would overflow");
    else
      count(c, -by);
  }
}

/* ---- keys ---- */

static void del(struct client *c) {
  int n = 0;
  for (int i = 1; i < c->command.count; i++) {
    struct entry *e = find(argument(c, i));
    n += e != NULL;
    if (e)
      drop(e);
  }
  add_number(&c->out, n);
}

static void exists(struct client *c) {
  int n = 0;
  for (int i = 1; i < c->command.count; i++)
    n += find(argument(c, i)) != NULL;
  add_number(&c->out, n);
}

static void type(struct client *c) {
  static const char *const names[] = {"string", "list", "hash"};
  struct entry *e = find(argument(c, 1));
  add_status(&c->out, e ? names[e->kind] : "none");
}

enum { NEVER_HAD = 1, HAD = 2, LATER = 4, EARLIER = 8 }; /* when to set the time: NX, XX, GT, LT */

/* The options behind the time; -1: they are none, and the client has been told. */
static int expiry_options(struct client *c) {
  static const char *const names[] = {"NX", "XX", "GT", "LT"};
  int options = 0;
  for (int i = 3, k; i < c->command.count; i++) {
    struct text option = argument(c, i);
    for (k = 0; k < 4 && !is(option, names[k]);)
      k++;
    if (k == 4)
      return add_error(&c->out, "ERR Unsupported option %.*s", (int)option.size, option.at), -1;
    options |= 1 << k;
  }
  if ((options & NEVER_HAD) && options != NEVER_HAD)
    return add_error(&c->out, "ERR NX and XX, GT or LT options at the same time are not compatible"), -1;
  if ((options & LATER) && (options & EARLIER))
    return add_error(&c->out, "ERR GT and LT options at the same time are not compatible"), -1;
  return options;
}

/* A key without a time lasts longer than any other. */
static bool may_expire(const struct entry *e, int options, int64_t at) {
  return !((options & NEVER_HAD) && e->expires) && !((options & HAD) && !e->expires) &&
         !((options & LATER) && (!e->expires || at <= e->expires)) &&
         !((options & EARLIER) && e->expires && at >= e->expires);
}

/* `command` is named in errors. */
static void expire_at(struct client *c, const char *command, long long unit, int64_t from) {
  long long n, at;
  int options = expiry_options(c);
  if (options < 0 || !integer_or_error(c, 2, &n))
    return;
  if (__builtin_mul_overflow(n, unit, &at) || __builtin_add_overflow(at, from, &at))
    return add_error(&c->out, "ERR invalid expire time in '%s' command", command);
  struct entry *e = find(argument(c, 1));
  bool may = e && may_expire(e, options, at);
  if (may && at <= now_ms())
    drop(e);
  else if (may)
    e->expires = at;
  add_number(&c->out, may);
}
static void expire(struct client *c) { expire_at(c, "expire", 1000, now_ms()); }
static void pexpire(struct client *c) { expire_at(c, "pexpire", 1, now_ms()); }
static void expireat(struct client *c) { expire_at(c, "expireat", 1000, 0); }
static void pexpireat(struct client *c) { expire_at(c, "pexpireat", 1, 0); }

static void time_to_live(struct client *c, long long unit) {
  struct entry *e = find(argument(c, 1));
  add_number(&c->out, !e ? -2 : !e->expires ? -1 : (e->expires - now_ms() + unit / 2) / unit);
}
static void ttl(struct client *c) { time_to_live(c, 1000); }
static void pttl(struct client *c) { time_to_live(c, 1); }

static void persist(struct client *c) {
  struct entry *e = find(argument(c, 1));
  add_number(&c->out, e && e->expires);
  if (e)
    e->expires = 0;
}

static void keys(struct client *c) {
  char *pattern = strndup(argument(c, 1).at, argument(c, 1).size), *name = NULL;
  struct buffer found = {0};
  long long n = 0;
  struct entry *e, *next;
  HASH_ITER(hh, entries, e, next) {
    name = realloc(name, e->key_size + 1);
    memcpy(name, e->key, e->key_size);
    name[e->key_size] = '\0';
    if (fnmatch(pattern, name, 0) == 0 && (!e->expires || e->expires > now_ms())) {
      add_text(&found, e->key, e->key_size);
      n++;
    }
  }
  add_array(&c->out, n);
  add_bytes(&c->out, found.at ? found.at : "", found.used);
  free(found.at);
  free(name);
  free(pattern);
}

static void rename_key(struct client *c) {
  struct entry *from = find(argument(c, 1)), *to = find(argument(c, 2));
  if (!from)
    return add_error(&c->out, "ERR no such key");
  if (from != to) {
    if (to)
      drop(to);
    to = make(argument(c, 2), from->kind);
    to->expires = from->expires;
    to->value = from->value;
    to->size = from->size;
    to->items = from->items;
    to->fields = from->fields;
    from->value = NULL;
    from->items = NULL;
    from->fields = NULL;
    drop(from);
    if (to->kind == LIST)
      list_has_something(argument(c, 2));
  }
  ok(c);
}

static void dbsize(struct client *c) { add_number(&c->out, HASH_COUNT(entries)); }
static void flushall(struct client *c) {
  drop_all();
  ok(c);
}

/* ---- lists ---- */

static void push(struct client *c, bool left) {
  struct entry *e = find_or_make(c, 1, LIST);
  if (!e)
    return;
  for (int i = 2; i < c->command.count; i++)
    push_item(e, new_item(argument(c, i)), left);
  add_number(&c->out, (long long)e->size);
  list_has_something(argument(c, 1));
}
static void lpush(struct client *c) { push(c, true); }
static void rpush(struct client *c) { push(c, false); }

static void add_and_free(struct client *c, struct item *item) {
  add_text(&c->out, item->bytes, item->size);
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
static void lpop(struct client *c) { pop(c, true); }
static void rpop(struct client *c) { pop(c, false); }

static void add_key_and_item(struct client *c, struct text key, struct item *item) {
  add_array(&c->out, 2);
  add_text(&c->out, key.at, key.size);
  add_and_free(c, item);
}

/* Pops from the first of the lists that has something. False: none has. */
static bool pop_from_one(struct client *c, int last, bool left) {
  for (int i = 1; i < last; i++) {
    bool fine;
    struct entry *e = find_kind(c, i, LIST, &fine);
    if (fine && e)
      add_key_and_item(c, argument(c, i), pop_item(e, left));
    if (!fine || e)
      return true;
  }
  return false;
}

/* Reads a time-out in seconds into *until, a time on the clock of ch_now. False: it is none; the client has been told.
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

/* Waits until one of the lists has something. */
static void pop_or_wait(struct client *c, bool left) {
  int last = c->command.count - 1;
  int64_t until;
  bool done;
  if (!read_timeout(c, argument(c, last), &until))
    return;
  struct waiter me = {.keys = c->command.argument + 1, .n = last - 1, .left = left, .client = c->id, .found = NOT_YET};
  atomic {
    take_data();
    done = pop_from_one(c, last, left);
    if (!done)
      begin_to_wait(&me);
    give_data_back();
  }
  if (done)
    return;
  send_replies(c); /* of the commands before */
  int found = wait_for_item(&me, c->descriptor, until);
  c->closing |= found == CLIENT_HAS_GONE;
  if (found >= 0)
    add_key_and_item(c, argument(c, found + 1), me.item);
  else if (found == UNBLOCKED_BY_ERROR)
    add_error(&c->out, "UNBLOCKED client unblocked via CLIENT UNBLOCK");
  else
    add_array(&c->out, -1);
}
static void blpop(struct client *c) { pop_or_wait(c, true); }
static void brpop(struct client *c) { pop_or_wait(c, false); }

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

static void lrange(struct client *c) {
  bool fine;
  long long first, last;
  if (!range_of(c, &first, &last))
    return;
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine)
    return;
  place_range(e ? (long long)e->size : 0, &first, &last);
  if (!e || first > last)
    return add_array(&c->out, 0);
  add_array(&c->out, last - first + 1);
  for (struct item *i = item_at(e, first); first <= last; first++, i = i->next)
    add_text(&c->out, i->bytes, i->size);
}

static void lindex(struct client *c) {
  bool fine;
  long long n;
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine || (e && !integer_or_error(c, 2, &n)))
    return;
  struct item *i = e ? item_at(e, n) : NULL;
  if (i)
    add_text(&c->out, i->bytes, i->size);
  else
    add_nothing(&c->out);
}

static void ltrim(struct client *c) {
  bool fine;
  long long first, last, n = 0;
  if (!range_of(c, &first, &last))
    return;
  struct entry *e = find_kind(c, 1, LIST, &fine);
  if (!fine)
    return;
  place_range(e ? (long long)e->size : 0, &first, &last);
  if (e) {
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
  ok(c);
}

/* ---- hashes ---- */

static void hset(struct client *c) {
  bool old_name = is(argument(c, 0), "HMSET");
  if (c->command.count % 2)
    return add_error(&c->out, "ERR wrong number of arguments for '%s' command", old_name ? "hmset" : "hset");
  struct entry *e = find_or_make(c, 1, HASH);
  if (!e)
    return;
  unsigned before = HASH_COUNT(e->fields);
  for (int i = 2; i < c->command.count; i += 2)
    set_field(e, argument(c, i), argument(c, i + 1));
  if (old_name)
    ok(c);
  else
    add_number(&c->out, (long long)(HASH_COUNT(e->fields) - before));
}

static void add_field(struct client *c, struct entry *e, struct text name) {
  struct field *f = e ? find_field(e, name) : NULL;
  if (f)
    add_text(&c->out, f->value, f->size);
  else
    add_nothing(&c->out);
}
static void hget(struct client *c) {
  bool fine;
  struct entry *e = find_kind(c, 1, HASH, &fine);
  if (fine)
    add_field(c, e, argument(c, 2));
}
static void hmget(struct client *c) {
  bool fine;
  struct entry *e = find_kind(c, 1, HASH, &fine);
  if (!fine)
    return;
  add_array(&c->out, c->command.count - 2);
  for (int i = 2; i < c->command.count; i++)
    add_field(c, e, argument(c, i));
}

static void all_fields(struct client *c, bool names, bool values) {
  bool fine;
  struct entry *e = find_kind(c, 1, HASH, &fine);
  if (!fine)
    return;
  add_array(&c->out, e ? (long long)HASH_COUNT(e->fields) * (names + values) : 0);
  for (struct field *f = e ? e->fields : NULL; f; f = f->hh.next) {
    if (names)
      add_text(&c->out, f->name, f->name_size);
    if (values)
      add_text(&c->out, f->value, f->size);
  }
}
static void hgetall(struct client *c) { all_fields(c, true, true); }
static void hkeys(struct client *c) { all_fields(c, true, false); }
static void hvals(struct client *c) { all_fields(c, false, true); }

static void hdel(struct client *c) {
  bool fine;
  struct entry *e = find_kind(c, 1, HASH, &fine);
  int n = 0;
  if (!fine)
    return;
  for (int i = 2; e && i < c->command.count; i++) {
    struct field *f = find_field(e, argument(c, i));
    n += f != NULL;
    if (f)
      drop_field(e, f);
  }
  if (e && !e->fields)
    drop(e);
  add_number(&c->out, n);
}

static void hexists(struct client *c) {
  bool fine;
  struct entry *e = find_kind(c, 1, HASH, &fine);
  if (fine)
    add_number(&c->out, e && find_field(e, argument(c, 2)));
}

static void hincrby(struct client *c) {
  long long by, n = 0;
  char text[24];
  if (!integer_or_error(c, 3, &by))
    return;
  struct entry *e = find_or_make(c, 1, HASH);
  if (!e)
    return;
  struct field *f = find_field(e, argument(c, 2));
  if (f && !integer((struct text){f->value, f->size}, &n))
    return add_error(&c->out, "ERR hash value is not an integer");
  if (__builtin_add_overflow(n, by, &n))
    return add_error(&c->out, "ERR increment or decrement would overflow");
  set_field(e, argument(c, 2), (struct text){text, (size_t)snprintf(text, sizeof text, "%lld", n)});
  add_number(&c->out, n);
}

/* ---- publish and subscribe ---- */

static void publish_message(struct client *c) { add_number(&c->out, publish(argument(c, 1), argument(c, 2))); }

static void subscribe_all(struct client *c, bool pattern) {
  for (int i = 1; i < c->command.count; i++)
    subscribe(c, argument(c, i), pattern);
}
static void subscribe_names(struct client *c) { subscribe_all(c, false); }
static void subscribe_patterns(struct client *c) { subscribe_all(c, true); }

static void unsubscribe_some(struct client *c, bool pattern) {
  if (c->command.count == 1)
    unsubscribe_all(c, pattern, true);
  for (int i = 1; i < c->command.count; i++)
    unsubscribe(c, argument(c, i), pattern);
}
static void unsubscribe_names(struct client *c) { unsubscribe_some(c, false); }
static void unsubscribe_patterns(struct client *c) { unsubscribe_some(c, true); }

/* ---- snapshots ---- */

static void save_now(struct client *c) {
  int error = snapshot ? save(snapshot) : ENOENT;
  if (error)
    return add_error(&c->out, "ERR cannot save: %s", strerror(error));
  last_save = now_ms();
  ok(c);
}

/* A child has the memory as it is now, and writes it while this process goes on to serve. */
static void save_in_background(struct client *c) {
  if (!snapshot)
    return add_error(&c->out, "ERR cannot save: no file was named");
  pid_t child;
  atomic {
    take_data();
    child = fork();
    if (child == 0)
      _exit(save(snapshot) != 0);
    give_data_back();
  }
  if (child < 0)
    return add_error(&c->out, "ERR cannot save: %s", strerror(errno));
  activate(child) {
    int status;
    if (waitpid(child, &status, 0) == child && status == 0)
      atomic {
        take_data();
        last_save = now_ms();
        give_data_back();
      }
  }
  add_status(&c->out, "Background saving started");
}
static void lastsave(struct client *c) { add_number(&c->out, last_save / 1000); }

/* ---- the table ---- */

static const struct {
  const char *name;
  int least, most; /* arguments, with the name; 0: any number */
  void (*run)(struct client *);
} table[] = {
    {"GET", 2, 2, get},
    {"SET", 3, 0, set},
    {"INCR", 2, 2, incr},
    {"DEL", 2, 0, del},
    {"LPUSH", 3, 0, lpush},
    {"RPUSH", 3, 0, rpush},
    {"LPOP", 2, 3, lpop},
    {"RPOP", 2, 3, rpop},
    {"HSET", 4, 0, hset},
    {"HGET", 3, 3, hget},
    {"LRANGE", 4, 4, lrange},
    {"MSET", 3, 0, mset},
    {"MGET", 2, 0, mget},
    {"PING", 1, 2, ping},
    {"ECHO", 2, 2, echo},
    {"SETNX", 3, 3, setnx},
    {"SETEX", 4, 4, setex},
    {"PSETEX", 4, 4, psetex},
    {"GETSET", 3, 3, getset},
    {"GETDEL", 2, 2, getdel},
    {"APPEND", 3, 3, append},
    {"STRLEN", 2, 2, length_of_string},
    {"GETRANGE", 4, 4, getrange},
    {"DECR", 2, 2, decr},
    {"INCRBY", 3, 3, incrby},
    {"DECRBY", 3, 3, decrby},
    {"UNLINK", 2, 0, del},
    {"EXISTS", 2, 0, exists},
    {"TYPE", 2, 2, type},
    {"EXPIRE", 3, 0, expire},
    {"PEXPIRE", 3, 0, pexpire},
    {"EXPIREAT", 3, 0, expireat},
    {"PEXPIREAT", 3, 0, pexpireat},
    {"TTL", 2, 2, ttl},
    {"PTTL", 2, 2, pttl},
    {"PERSIST", 2, 2, persist},
    {"KEYS", 2, 2, keys},
    {"RENAME", 3, 3, rename_key},
    {"DBSIZE", 1, 1, dbsize},
    {"FLUSHALL", 1, 2, flushall},
    {"FLUSHDB", 1, 2, flushall},
    {"LLEN", 2, 2, length_of_list},
    {"LINDEX", 3, 3, lindex},
    {"LTRIM", 4, 4, ltrim},
    {"BLPOP", 3, 0, blpop},
    {"BRPOP", 3, 0, brpop},
    {"HMSET", 4, 0, hset},
    {"HMGET", 3, 0, hmget},
    {"HGETALL", 2, 2, hgetall},
    {"HKEYS", 2, 2, hkeys},
    {"HVALS", 2, 2, hvals},
    {"HLEN", 2, 2, length_of_hash},
    {"HDEL", 3, 0, hdel},
    {"HEXISTS", 3, 3, hexists},
    {"HINCRBY", 4, 4, hincrby},
    {"PUBLISH", 3, 3, publish_message},
    {"SUBSCRIBE", 2, 0, subscribe_names},
    {"PSUBSCRIBE", 2, 0, subscribe_patterns},
    {"UNSUBSCRIBE", 1, 0, unsubscribe_names},
    {"PUNSUBSCRIBE", 1, 0, unsubscribe_patterns},
    {"SAVE", 1, 1, save_now},
    {"BGSAVE", 1, 2, save_in_background},
    {"LASTSAVE", 1, 1, lastsave},
    {"SELECT", 2, 2, select_database},
    {"INFO", 1, 0, info},
    {"CONFIG", 2, 0, nothing},
    {"COMMAND", 1, 0, nothing},
    {"CLIENT", 2, 0, client},
    {"QUIT", 1, 1, quit},
};

static bool waits(void (*run)(struct client *)) {
  return run == blpop || run == brpop || run == quit || run == save_in_background;
}

void execute(struct client *c) {
  struct text name = argument(c, 0);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (is(name, table[i].name)) {
      if (c->command.count < table[i].least || (table[i].most && c->command.count > table[i].most))
        add_error(&c->out, "ERR wrong number of arguments for '%.*s' command", (int)name.size, name.at);
      else if (waits(table[i].run))
        table[i].run(c);
      else
        atomic {
          take_data();
          table[i].run(c);
          if (c->subscribed > 0) /* what is published from now on comes behind this reply */
            queue_replies(c);
          give_data_back();
        }
      return;
    }
  add_error(&c->out, "ERR unknown command '%.*s'", name.size < 100 ? (int)name.size : 100, name.at);
}
