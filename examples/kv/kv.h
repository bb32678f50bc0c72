/* kv, a server that speaks the protocol of redis: strings, counters, lists, hashes, expiry, publish and subscribe,
 * waiting pops, transactions, snapshots. This file has the declarations that its parts share. Read main.c first, then
 * commands.c. */
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
  int subscribed;                  /* the number of subscriptions */
  long long id;                    /* the number of the client, in the order in which clients came */
  char *name;                      /* the name that the client has given itself, or NULL */
  struct transaction *transaction; /* between MULTI or WATCH and EXEC, or NULL */
  bool executing;                  /* a transaction is executed, in which nothing waits */
  /* These belong to the data, for clients of other domains publish, too. */
  struct buffer letters;
  bool told;        /* `published` was posted, and the client's sender has not yet taken the letters */
  bool overflowed;  /* the client reads what is published too slowly */
  ch_sem published; /* the client's sender waits for it */
};
/* Waits for the next command; if it has to wait, it sends the replies before. Returns 1; 0: the client has gone; -1:
 * what came is no command. */
int next_command(struct client *);
/* Sends what `out` holds. */
void send_replies(struct client *);
/* Puts what `out` holds after what was published for the client, which the client's sender sends. The caller has the
 * data. */
void queue_replies(struct client *);
/* Gives back the memory for a command and its replies. */
void give_buffers_back(struct client *);
/* Frees what this domain keeps of it. */
void free_spare_buffers(void);

/* ---- store.c: what the keys mean ---- */

/* The data: what the keys mean, who waits for a list, and who has subscribed. With several domains it belongs to
 * whoever has taken it. Both are called in one atomic block, so that no activity is set aside with the data. */
void take_data(void);
void give_data_back(void);
extern bool several_domains;

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
  int64_t expires;  /* when it expires, in ms since 1970; 0: never */
  uint64_t version; /* another one after each change; never 0 */
  char *value;      /* the bytes of a STRING */
  size_t size;      /* the number of bytes of a STRING, or of items of a LIST */
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
void touch(struct entry *); /* says that it has changed; the functions below call this themselves */
void set_string(struct entry *, struct text);
struct field *find_field(struct entry *, struct text name);
void set_field(struct entry *, struct text name, struct text value);
void drop_field(struct entry *, struct field *);
struct item *new_item(struct text);
void push_item(struct entry *, struct item *, bool left);
struct item *take_item(struct entry *, bool left);
void drop_if_empty(struct entry *);               /* drops a list that has no items any more */
struct item *pop_item(struct entry *, bool left); /* take_item, and then drop_if_empty */

/* Writes all entries into the file, which replaces the one before in one step. Returns 0 or an error number. It is
 * plain code and waits for the disk. */
int save(const char *path);
int load(const char *path);

/* ---- commands.c, transactions.c ---- */

void execute(struct client *);
/* Forgets what the client has put off and watches. */
void end_transaction(struct client *);

/* ---- waiters.c: clients that wait until a list has something ---- */

struct waiter { /* what a client wants of lists */
  struct waiter *prev, *next;
  const struct text *keys;
  int n;        /* how many keys */
  bool left;    /* which end of a list it wants items of */
  bool several; /* the reply is an array of at most `most` items */
  long long most;
  const struct text *destination; /* the key of the list to which the item is moved, or NULL */
  bool to_left;                   /* to which end of that list */
  long long client;               /* the number of the client */
  int found;                      /* the number of the key whose list has given `items`, or one of the reasons below */
  struct item *items;             /* belong to the waiter */
  ch_sem ready;                   /* is posted when the waiter has been taken out of the queue */
};
/* Gives items of the list of the key with this number. False: there is something else than a list at the destination.
 */
bool give_items(struct waiter *, int number, struct entry *);
/* Puts the waiter into the queues of its keys. The caller has the data, and calls wait_for_item afterwards. */
void begin_to_wait(struct waiter *);
enum { NOT_YET = -1, CLIENT_HAS_GONE = -2, UNBLOCKED = -3, UNBLOCKED_BY_ERROR = -4, WRONG_DESTINATION = -5 };
/* Waits until the waiter has items, but not beyond a time on the clock of ch_now, or CH_FOREVER. Returns the number
 * of the key, or why there are no items. `client` is the client's descriptor. */
int wait_for_item(struct waiter *, int descriptor, int64_t until);
/* Ends the wait of the client with this number. `how` is UNBLOCKED or UNBLOCKED_BY_ERROR. False: it does not wait. */
bool unblock(long long client, int how);
int clients_that_wait(void);
/* Notes that there may be something for those who wait for this key's list; and gives them what was noted. The caller
 * has the data. */
void list_has_something(struct text key);
void serve_waiters(void);

/* ---- channels.c: publish and subscribe ---- */

void subscribe(struct client *, struct text name, bool pattern);
void unsubscribe(struct client *, struct text name, bool pattern);
void unsubscribe_all(struct client *, bool pattern, bool tell);
int publish(struct text name, struct text message);
/* Says to the client's sender that there are letters. The caller has the data, as for all of these. */
void tell_sender(struct client *);

extern const char *snapshot; /* the name of the file for snapshots, or NULL */
extern int64_t last_save;    /* when the last snapshot was written, in ms since 1970 */
#endif
