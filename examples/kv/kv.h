/* kv, a server that speaks the protocol of redis: strings, counters, lists, hashes, expiry, publish and subscribe,
 * waiting pops, snapshots. This file has the declarations that its parts share. Read main.c first, then commands.c. */
#ifndef KV_H
#define KV_H

#include <charcoal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <utlist.h>
#include <uthash.h>

/* A table grows when a bucket has so many entries. Each entry that is passed on the way to another one is a cache miss,
 * and with uthash's own number, 10, there are one or two of them on most ways. */
#undef HASH_BKT_CAPACITY_THRESH
#define HASH_BKT_CAPACITY_THRESH 4U

struct text { /* bytes, of any kind */
  const char *at;
  size_t size;
};

/* ---- protocol.c: reading commands, writing replies ---- */

struct buffer { /* bytes that are to be sent; it grows */
  char *at;
  size_t used, room;
};
void add_bytes(struct buffer *, const char *, size_t);
void add_status(struct buffer *, const char *); /* +OK */
void add_error(struct buffer *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void add_number(struct buffer *, long long);          /* :1 */
void add_text(struct buffer *, const char *, size_t); /* $3 abc */
void add_nothing(struct buffer *);                    /* $-1 */
void add_array(struct buffer *, long long size);      /* *2, and `size` replies follow; -1: no array */

enum { MOST_ARGUMENTS = 1 << 20 };
struct command {
  int count, room;
  struct text *argument; /* the arguments, which point into what was read */
};

struct client {
  int descriptor;
  bool closing, has_sender; /* has_sender: the client has an activity that sends what is published */
  /* These have memory only from the first byte of a command until all replies are sent. */
  char *in; /* what was read */
  size_t begin, end, room;
  struct command command;
  struct buffer out;
  struct subscription *subscriptions;
  int subscribed;   /* the number of subscriptions */
  ch_sem published; /* is posted when something was put into `letters`; the sending activity waits for it */
  struct buffer letters;
  bool overflowed; /* the client reads what is published too slowly */
};
/* Waits for the next command; if it has to wait, it sends the replies before. Returns 1; 0: the client has gone; -1:
 * what came is no command. */
int next_command(struct client *);
/* Sends what `out` holds. */
void send_replies(struct client *);
/* Puts what `out` holds behind what was published for the client, which the client's sender sends. */
void queue_replies(struct client *);
/* Gives back the memory for a command and its replies. */
void give_buffers_back(struct client *);

/* ---- store.c: what the keys mean ---- */

enum kind { STRING, LIST, HASH };
struct item { /* an item of a list */
  struct item *prev, *next;
  size_t size;
  char bytes[];
};
struct field { /* a field of a hash */
  UT_hash_handle hh;
  char *value;
  size_t size, name_size;
  char name[];
};
struct entry {
  UT_hash_handle hh;
  enum kind kind;
  int64_t expires; /* when it expires, in ms since 1970; 0: never */
  char *value;     /* the bytes of a STRING */
  size_t size;     /* the number of bytes of a STRING, or of items of a LIST */
  struct item *items;
  struct field *fields;
  size_t key_size;
  char key[];
};
extern struct entry *entries;
int64_t now_ms(void);
struct entry *find(struct text key);            /* NULL: there is none, or it has expired */
struct entry *make(struct text key, enum kind); /* to be called if there is none */
void drop(struct entry *);
void drop_all(void);
void set_string(struct entry *, struct text);
struct field *find_field(struct entry *, struct text name);
void set_field(struct entry *, struct text name, struct text value);
void drop_field(struct entry *, struct field *);
struct item *new_item(struct text);

/* Writes all entries into the file, which replaces the one before in one step. Returns 0 or an error number. It is
 * plain code and waits for the disk. */
int save(const char *path);
int load(const char *path);

/* ---- commands.c ---- */

void execute(struct client *);

/* ---- waiters.c: clients that wait until a list has something ---- */

struct waiter {
  struct waiter *prev, *next;
  const struct text *keys;
  int n, found; /* how many keys; the number of the key whose list has something, or -1 while there is none */
  ch_sem ready;
};
/* Puts the waiter into the queues of its keys. The caller calls wait_for_list afterwards. */
void begin_to_wait(struct waiter *);
enum { TIME_IS_OVER = -1, CLIENT_HAS_GONE = -2 };
/* Waits until the list of one of the keys has something, but not beyond a time on the clock of ch_now, or CH_FOREVER.
 * Returns the number of that key, or why there is none. `client` is the client's descriptor. */
int wait_for_list(struct waiter *, int client, int64_t until);
int clients_that_wait(void);
/* Says that something was put into the list of this key. To be called in an atomic block. */
void list_has_something(struct text key);

/* ---- channels.c: publish and subscribe ---- */

void subscribe(struct client *, struct text name, bool pattern);
void unsubscribe(struct client *, struct text name, bool pattern);
void unsubscribe_all(struct client *, bool pattern, bool tell);
int publish(struct text name, struct text message);

extern const char *snapshot; /* the name of the file for snapshots, or NULL */
extern int64_t last_save;    /* when the last snapshot was written, in ms since 1970 */
#endif
