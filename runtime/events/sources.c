/* Sources: what triggers an event from outside the program's code, such as a timer or a descriptor. A source is a
 * clause of any type that has a callback instead of a waiting branch, so everything that can stand in `waituntil` could
 * be one. Cancelling the event withdraws the clause. */
#include "events/cells.h"
#include "charcoal/clauses.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

struct ch_source {
  ch_event event;
  bool tells; /* the event has a value: `number` if `stores`, otherwise the result of the clause */
  int number; /* what waitpid has stored */
  bool stores;
  sigset_t signals;
  union {
    struct ch_clause clause;
    struct ch_sleep__clause sleep;
    struct ch_sleep_until__clause sleep_until;
    struct ch_fd_wait__clause fd;
    struct sigwaitinfo__clause signal;
    struct waitpid__clause child;
    struct ch_activity_wait__clause end;
  };
};

static struct ch_source *source_of(struct ch_clause *c) {
  return (struct ch_source *)((char *)c - offsetof(struct ch_source, clause));
}

void ch_source_withdraw(struct ch_source *s) {
  ch_clause_unwatch(&s->clause);
  free(s);
}
const char *ch_source_what(const struct ch_source *s) { return s->clause.type->what; }

static void fired(struct ch_clause *c) {
  struct ch_source *s = source_of(c);
  int saved = errno;
  intptr_t result = ch_clause_result(c);
  int value = result == -1 ? -errno : s->stores ? s->number : (int)result;
  struct ch_event_value all = {&value, sizeof(int) << 4 | 2};
  struct ch_cell *cell = ch_event_outstanding(s->event);
  bool tells = s->tells;
  errno = saved;
  free(s);
  if (!cell)
    return;
  cell->source = NULL;
  ch_cell_trigger(cell, tells, &all);
}

/* A new source of the event; NULL with *error. */
static struct ch_source *source(ch_event e, int *error) {
  struct ch_cell *c = ch_event_outstanding(e);
  *error = !c ? ESTALE : c->source ? EBUSY : ENOMEM;
  struct ch_source *s = *error == ENOMEM ? malloc(sizeof *s) : NULL; /* the clause in it need not be zero */
  if (!s)
    return NULL;
  s->event = e;
  s->tells = s->stores = false;
  c->source = s;
  *error = 0;
  return s;
}

static int begin(struct ch_source *s) {
  ch_clause_watch(&s->clause, fired);
  return 0;
}

/* An event without a source, at once. */
static int trigger_now(ch_event e) {
  struct ch_cell *c = ch_event_outstanding(e);
  if (!c || c->source)
    return c ? EBUSY : ESTALE;
  ch_cell_trigger(c, 0, NULL);
  return 0;
}

int ch_event_after_(int64_t duration, ch_event e) {
  int error;
  if (duration <= 0)
    return trigger_now(e);
  struct ch_source *s = source(e, &error);
  if (!s)
    return error;
  ch_sleep__clause(&s->sleep, duration);
  return begin(s);
}

int ch_event_at_(int64_t time, ch_event e) {
  int error;
  struct ch_source *s = source(e, &error);
  if (!s)
    return error;
  ch_sleep_until__clause(&s->sleep_until, time);
  return begin(s);
}

int ch_event_on_fd_(int fd, int events, ch_event e) {
  int error;
  struct ch_source *s = source(e, &error);
  if (!s)
    return error;
  s->tells = true;
  ch_fd_wait__clause(&s->fd, fd, events, CH_FOREVER);
  return begin(s);
}

int ch_event_on_signal_(int signal, ch_event e) {
  sigset_t only;
  int error;
  sigemptyset(&only);
  if (sigaddset(&only, signal) < 0) /* there is no such signal, and the event would wait for ever */
    return EINVAL;
  struct ch_source *s = source(e, &error);
  if (!s)
    return error;
  s->tells = true;
  s->signals = only;
  sigwaitinfo__clause(&s->signal, &s->signals, NULL);
  return begin(s);
}

int ch_event_on_child_(int pid, ch_event e) {
  int error;
  struct ch_source *s = source(e, &error);
  if (!s)
    return error;
  s->tells = s->stores = true;
  waitpid__clause(&s->child, pid, &s->number, 0);
  return begin(s);
}

int ch_event_on_end_(ch_activity *handle, ch_event e) {
  int error;
  struct ch_source *s = source(e, &error);
  if (!s)
    return error;
  ch_activity_wait__clause(&s->end, handle);
  return begin(s);
}
