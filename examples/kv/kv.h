/* A server that speaks the protocol of redis: strings, counters, lists, hashes, expiry, publish and subscribe, waiting
 * pops, snapshots. What its parts know of each other. Read main.c first, then commands.c. */
#ifndef KV_H
#define KV_H

#include <charcoal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <utlist.h>
#include <uthash.h>

struct text { /* bytes, of any kind */
  const char *at;
  size_t size;
};

/* ---- protocol.c: reading commands, writing replies ---- */

struct buffer { /* of bytes that go out; grows */
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
  struct text *argument; /* they point into what was read */
};

struct client {
  int descriptor;
  bool closing, has_sender; /* has_sender: an activity sends what is published */
  char *in;                 /* NULL while nothing of a command is there */
  size_t begin, end, room;
  struct command command;
  struct buffer out;
  struct subscription *subscriptions;
  int subscribed;   /* how many they are */
  ch_sem published; /* a unit when something was put into `letters`, for who sends it */
  struct buffer letters;
  bool overflowed; /* it reads too slowly what is published */
};
/* Waits for the next command, and sends the replies before it has to. 1; 0: the client has gone; -1: that is no
 * command. */
int next_command(struct client *);
/* Sends what `out` holds. */
void send_replies(struct client *);

/* ---- store.c: what the keys mean ---- */

enum kind { STRING, LIST, HASH };
struct item { /* of a list */
  struct item *prev, *next;
  size_t size;
  char bytes[];
};
struct field { /* of a hash */
  UT_hash_handle hh;
  char *value;
  size_t size, name_size;
  char name[];
};
struct entry {
  UT_hash_handle hh;
  enum kind kind;
  int64_t expires; /* ms since 1970; 0: never */
  char *value;     /* STRING */
  size_t size;     /* bytes of the string; items of the list */
  struct item *items;
  struct field *fields;
  size_t key_size;
  char key[];
};
extern struct entry *entries;
int64_t now_ms(void);
struct entry *find(struct text key);            /* NULL also when it has expired */
struct entry *make(struct text key, enum kind); /* there is none */
void drop(struct entry *);
void drop_all(void);
void set_string(struct entry *, struct text);
struct field *find_field(struct entry *, struct text name);
void set_field(struct entry *, struct text name, struct text value);
void drop_field(struct entry *, struct field *);
struct item *new_item(struct text);

/* Writes all entries into the file; it replaces the one before in one step. 0, or an errno. Plain code: it waits for
 * the disk. */
int save(const char *path);
int load(const char *path);

/* ---- commands.c ---- */

void execute(struct client *);

/* ---- waiters.c: who waits for a list to get something ---- */

struct waiter {
  struct waiter *prev, *next;
  const struct text *keys;
  int n, found; /* found: the number of the key that has something; -1 while there is none */
  ch_sem ready;
};
/* Puts it into the queue; wait_for_list has to follow. */
void begin_to_wait(struct waiter *);
/* Waits until one of the keys is a list with something in it, at most `timeout` ns. Its number; -1: none in time. */
int wait_for_list(struct waiter *, int64_t timeout);
/* Something was put into the list of this key. Call it in an atomic block. */
void list_has_something(struct text key);

/* ---- channels.c: publish and subscribe ---- */

void subscribe(struct client *, struct text name, bool pattern);
void unsubscribe(struct client *, struct text name, bool pattern);
void unsubscribe_all(struct client *, bool pattern, bool tell);
int publish(struct text name, struct text message);

extern const char *snapshot; /* the file; NULL: none */
extern int64_t last_save;    /* ms since 1970 */
#endif
