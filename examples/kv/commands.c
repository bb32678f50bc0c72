/* The commands. Each is a function of the client; a table says how it is called. A command that never waits holds the
 * data from its beginning to its end, so no other client's command comes in between. A command that waits holds the
 * data only while it changes them. */
#define _GNU_SOURCE
#include "commands.h"
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_string(struct client *c, const struct entry *e) {
  if (e)
    add_text(&c->out, e->value, e->size);
  else
    add_nothing(&c->out);
}

/* ---- the connection ---- */

static void ping(struct client *c) {
  struct text said = c->command.count > 1 ? argument(c, 1) : (struct text){"", 0};
  if (c->subscribed > 0) { /* a client that has subscribed gets replies in the form of messages */
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
  touch(e);
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

/* The options after the time; -1: they are none, and the client has been told. */
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
  if (may && at <= now_ms()) {
    drop(e);
  } else if (may) {
    e->expires = at;
    touch(e);
  }
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
  if (e && e->expires) {
    e->expires = 0;
    touch(e);
  }
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
  int least, most; /* how many arguments it takes, its name included; 0: any number */
  command_function *run;
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
    {"LPUSHX", 3, 0, lpushx},
    {"RPUSHX", 3, 0, rpushx},
    {"LSET", 4, 4, lset},
    {"LINSERT", 5, 5, linsert},
    {"LREM", 4, 4, lrem},
    {"LPOS", 3, 0, lpos},
    {"LMOVE", 5, 5, lmove},
    {"RPOPLPUSH", 3, 3, rpoplpush},
    {"LMPOP", 4, 0, lmpop},
    {"BLMOVE", 6, 6, blmove},
    {"BRPOPLPUSH", 4, 4, brpoplpush},
    {"BLMPOP", 5, 0, blmpop},
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
    {"MULTI", 1, 1, multi},
    {"EXEC", 1, 1, exec},
    {"DISCARD", 1, 1, discard},
    {"WATCH", 2, 0, watch},
    {"UNWATCH", 1, 1, unwatch},
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

/* These take the data themselves. */
static bool waits(command_function *run) {
  return run == blpop || run == brpop || run == blmove || run == brpoplpush || run == blmpop || run == quit ||
         run == save_in_background;
}

/* These are not put off. */
static bool is_immediate(command_function *run) {
  return run == multi || run == exec || run == discard || run == watch || run == quit;
}

static void execute_now(struct client *c, command_function *run) {
  if (waits(run))
    return run(c);
  atomic {
    take_data();
    run(c);
    serve_waiters();
    if (c->subscribed > 0) /* what is published from now on comes after this reply */
      queue_replies(c);
    give_data_back();
  }
}

/* An error before anything is done. A transaction with such a command is not executed. */
static void refuse(struct client *c, const char *format, struct text name) {
  spoil_transaction(c);
  add_error(&c->out, format, name.size < 100 ? (int)name.size : 100, name.at);
}

void execute(struct client *c) {
  struct text name = argument(c, 0);
  size_t i = 0, n = sizeof table / sizeof *table;
  while (i < n && !is(name, table[i].name))
    i++;
  if (i == n)
    refuse(c, "ERR unknown command '%.*s'", name);
  else if (c->command.count < table[i].least || (table[i].most && c->command.count > table[i].most))
    refuse(c, "ERR wrong number of arguments for '%.*s' command", name);
  else if (!is_queueing(c) || is_immediate(table[i].run))
    execute_now(c, table[i].run);
  else if (table[i].run == save_now || table[i].run == save_in_background)
    refuse(c, "ERR Command not allowed inside a transaction: '%.*s'", name);
  else
    queue_command(c, table[i].run);
}
