/* What the files of the commands share. A command is a function of the client: it reads the arguments, and adds its
 * reply to what will be sent. It is called while the client holds the data, unless the table says that the command does
 * that itself. */
#ifndef KV_COMMANDS_H
#define KV_COMMANDS_H

#include "kv.h"
#include <string.h>
#include <strings.h>

/* ---- arguments.c ---- */

extern const char wrong_kind[], no_integer[], syntax[]; /* errors */

static inline struct text argument(const struct client *c, int i) { return c->command.argument[i]; }
/* Whether it is the word, in capital or small letters. */
static inline bool is(struct text t, const char *word) {
  return t.size == strlen(word) && strncasecmp(t.at, word, t.size) == 0;
}
/* As redis reads numbers: no blanks, no '+', no zeros in front. */
bool integer(struct text, long long *);
bool integer_or_error(struct client *, int argument, long long *); /* false: the client has been told the error */
/* The entry, if it is of this kind. If it is of another kind, *fine is false and the client has been told. */
struct entry *find_kind(struct client *, int argument, enum kind, bool *fine);
/* The same, but an entry is made if there is none. NULL: it is of another kind, and the client has been told. */
struct entry *find_or_make(struct client *, int argument, enum kind);
/* Both ends of a range, the arguments 2 and 3, as they were sent. */
bool range_of(struct client *, long long *first, long long *last);
/* Makes indices that may count from the end count from the beginning, inside of `size`. */
void place_range(long long size, long long *first, long long *last);

typedef void command_function(struct client *);

/* ---- lists.c ---- */

command_function lpush, rpush, lpushx, rpushx, lpop, rpop, lrange, lindex, lset, linsert, lrem, lpos, ltrim;
command_function lmove, rpoplpush, lmpop;
command_function blpop, brpop, blmove, brpoplpush, blmpop; /* these take the data themselves */

/* ---- transactions.c ---- */

command_function multi, exec, discard, watch, unwatch;
/* Whether the client's commands are put off until EXEC. */
bool is_queueing(const struct client *);
/* Puts the client's command off. */
void queue_command(struct client *, command_function *);
/* A command of the transaction cannot be put off: EXEC will not execute the others either. */
void spoil_transaction(struct client *);

#endif
