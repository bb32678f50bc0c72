/* MULTI and EXEC: commands that are put off, and then executed together. WATCH: they are executed only if certain keys
 * have not changed.
 *
 * Each change gives an entry a new version. So a key has changed if its entry has another version than at WATCH, or if
 * it had an entry then and has none now. A key that had no entry, got one and lost it has not changed. */
#include "commands.h"
#include <stdlib.h>
#include <string.h>

struct watched {
  struct watched *next;
  uint64_t version; /* 0: there was no entry */
  size_t size;
  char key[];
};
struct queued {
  struct queued *next;
  command_function *run;
  struct command command; /* its arguments lie after this */
};
struct transaction {
  bool begun, spoilt;
  long long size; /* the number of commands */
  struct queued *queue;
  struct watched *watched;
};

static struct transaction *transaction_of(struct client *c) {
  if (!c->transaction)
    c->transaction = calloc(1, sizeof *c->transaction);
  return c->transaction;
}

void end_transaction(struct client *c) {
  struct transaction *t = c->transaction;
  struct queued *q, *next;
  struct watched *w, *other;
  c->transaction = NULL;
  if (!t)
    return;
  LL_FOREACH_SAFE(t->queue, q, next)
  free(q);
  LL_FOREACH_SAFE(t->watched, w, other)
  free(w);
  free(t);
}

bool is_queueing(const struct client *c) { return c->transaction && c->transaction->begun; }

void spoil_transaction(struct client *c) {
  if (is_queueing(c))
    c->transaction->spoilt = true;
}

void queue_command(struct client *c, command_function *run) {
  struct transaction *t = c->transaction;
  const struct command *m = &c->command;
  size_t bytes = 0;
  for (int i = 0; i < m->count; i++)
    bytes += m->argument[i].size;
  struct queued *q = malloc(sizeof *q + (size_t)m->count * sizeof *m->argument + bytes);
  *q = (struct queued){.run = run, .command = {m->count, m->count, (struct text *)(q + 1)}};
  char *to = (char *)(q->command.argument + m->count);
  for (int i = 0; i < m->count; i++) {
    size_t size = m->argument[i].size;
    q->command.argument[i] = (struct text){memcpy(to, m->argument[i].at, size), size};
    to += size;
  }
  LL_APPEND(t->queue, q);
  t->size++;
  add_status(&c->out, "QUEUED");
}

void multi(struct client *c) {
  if (is_queueing(c))
    return add_error(&c->out, "ERR MULTI calls can not be nested");
  transaction_of(c)->begun = true;
  add_status(&c->out, "OK");
}

static uint64_t version_of(struct text key) {
  struct entry *e = find(key);
  return e ? e->version : 0;
}

static bool have_changed(const struct watched *list) {
  for (const struct watched *w = list; w; w = w->next)
    if (version_of((struct text){w->key, w->size}) != w->version)
      return true;
  return false;
}

void exec(struct client *c) {
  struct transaction *t = c->transaction;
  struct command own = c->command;
  if (!is_queueing(c))
    return add_error(&c->out, "ERR EXEC without MULTI");
  if (t->spoilt) {
    add_error(&c->out, "EXECABORT Transaction discarded because of previous errors.");
  } else if (have_changed(t->watched)) {
    add_array(&c->out, -1);
  } else {
    c->executing = true;
    add_array(&c->out, t->size);
    for (struct queued *q = t->queue; q; q = q->next) {
      c->command = q->command;
      q->run(c);
    }
    c->command = own;
    c->executing = false;
  }
  end_transaction(c);
}

void discard(struct client *c) {
  if (!is_queueing(c))
    return add_error(&c->out, "ERR DISCARD without MULTI");
  end_transaction(c);
  add_status(&c->out, "OK");
}

void watch(struct client *c) {
  if (is_queueing(c))
    return add_error(&c->out, "ERR WATCH inside MULTI is not allowed");
  for (int i = 1; i < c->command.count; i++) {
    struct text key = argument(c, i);
    struct watched *w = malloc(sizeof *w + key.size);
    w->version = version_of(key);
    w->size = key.size;
    memcpy(w->key, key.at, key.size);
    LL_PREPEND(transaction_of(c)->watched, w);
  }
  add_status(&c->out, "OK");
}

/* In a transaction it comes too late to have an effect. */
void unwatch(struct client *c) {
  if (!c->executing)
    end_transaction(c);
  add_status(&c->out, "OK");
}
