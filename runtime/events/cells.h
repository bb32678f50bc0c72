/* Events and rendezvous as they lie in memory.
 *
 * What a program holds as an event is a word, made of the index of a cell and of that cell's generation. Cells are
 * never given back to the system, and a cell's generation changes when its event is triggered or cancelled. So the
 * runtime recognizes a word that is out of date for ever, and no use of such a word touches memory that is not the
 * runtime's. (A cell whose generations are used up is not used again.)
 *
 * Invariants, in the event's domain:
 * 1. A cell is FREE, or it is on exactly one list: `outstanding` or `triggered` of its rendezvous.
 * 2. Only an OUTSTANDING cell has slots that will be written, a source, or somebody who waits for it.
 * 3. A slot's `to` is NULL as soon as the block of its variable has ended.
 * 4. A rendezvous has a state from its first event or wait until it is destroyed, and the state points back to the one
 *    variable that points to it.
 * 5. At most one clause waits for a rendezvous, and while it waits `triggered` is empty. */
#ifndef CHARCOAL_EVENTS_CELLS_H
#define CHARCOAL_EVENTS_CELLS_H

#include "charcoal/events.h"
#include "reactor/inbox.h"
#include "wait/wait.h"

enum ch_cell_state { CH_CELL_FREE, CH_CELL_OUTSTANDING, CH_CELL_TRIGGERED };

struct ch_event_slot {
  struct ch_link link; /* on the list of its anchor; if it has no anchor, next is NULL */
  void *to;            /* where the value is stored; NULL: the value is dropped */
  uint32_t kind;
};

struct ch_cell {
  struct ch_link link; /* see invariant 1; of a FREE cell, next is the next free one */
  uint32_t index, generation;
  uint8_t state;      /* enum ch_cell_state */
  uint8_t n;          /* how many values the event has */
  bool was_triggered; /* whether the event before this one was triggered; of a FREE cell, the last one */
  bool is_new;        /* the cell has had no event yet */
  uint32_t id_size;
  union {
    char near[16];
    void *far; /* points to an id that is larger than `near` */
  } id;
  struct ch_rendezvous_state *rendezvous;
  const char *site, *before; /* where this event was made, and where the event before it was made */
  struct ch_source *source;  /* what triggers it; NULL: the program */
  struct ch_link waiters;    /* clauses of ch_event_wait */
  struct ch_event_slot slots[CH_EVENT_VALUES];
};

struct ch_rendezvous_state {
  struct ch_link all; /* on the domain's list, ch_events.all */
  struct ch_rendezvous *variable;
  struct ch_link outstanding, triggered;
  struct ch_link waiter; /* a list of the clause that waits, or of none */
  uint32_t outstandings, triggereds;
  const void *domain;
  const char *wait_site; /* the place of the clause that waits; valid while one does */
};

/* The events of this thread's domain. */
struct ch_events {
  struct ch_link all; /* the states of rendezvous that are in use */
  struct ch_cell *free;
  struct ch_rendezvous_state *free_states;
  struct ch_event_counts counts;
};
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) struct ch_events ch_events;

static inline ch_event ch_cell_word(const struct ch_cell *c) {
  return (ch_event)((uintptr_t)c->generation << 32 | c->index);
}
static inline uint32_t ch_event_generation(ch_event e) { return (uint32_t)((uintptr_t)e >> 32); }
/* Returns the cell that the word names, whichever domain it belongs to; NULL: the word is no event at all. */
CH_HIDDEN struct ch_cell *ch_cell_of(ch_event);
/* Returns the inbox of the cell's domain; NULL: the domain has ended. */
CH_HIDDEN struct ch_inbox *ch_cell_inbox(const struct ch_cell *);
/* Takes a free cell of this domain. If there is no memory, it ends the program. */
CH_HIDDEN struct ch_cell *ch_cell_take(void);
/* Gives a cell back. The caller has changed its generation before. */
CH_HIDDEN void ch_cell_give(struct ch_cell *);
/* Is called when the domain of this thread ends. */
CH_HIDDEN void ch_events_end(void);
CH_HIDDEN struct ch_rendezvous_state *ch_rendezvous_take(void);
CH_HIDDEN void ch_rendezvous_give(struct ch_rendezvous_state *);

/* Stores a value of kind `from` as one of kind `to`. */
CH_HIDDEN void ch_value_store(void *to, uint32_t to_kind, const void *from, uint32_t from_kind);
static inline uint32_t ch_kind_size(uint32_t kind) { return kind >> 4; }

/* Trigger the event of an OUTSTANDING cell with its values, or cancel it, in its domain. Both withdraw its source. */
CH_HIDDEN void ch_cell_trigger(struct ch_cell *, unsigned n, const struct ch_event_value *);
CH_HIDDEN void ch_cell_cancel(struct ch_cell *);
/* Returns the event's cell if the event is outstanding, else NULL. To be called in its domain. */
CH_HIDDEN struct ch_cell *ch_event_outstanding(ch_event);

/* sources.c. The first is called when the event is cancelled. */
CH_HIDDEN void ch_source_withdraw(struct ch_source *);
CH_HIDDEN const char *ch_source_what(const struct ch_source *);

/* about.c */
CH_HIDDEN void ch_rendezvous_about(const struct ch_clause *, struct ch_about *);
CH_HIDDEN void ch_event_about(const struct ch_clause *, struct ch_about *);
/* For each rendezvous of this domain that has events, and for which nobody waits: calls `begin`, and then `tell` for
 * those that are outstanding. */
CH_HIDDEN void ch_rendezvous_tell_idle(void (*begin)(const struct ch_rendezvous_state *, void *), ch_tell_awaited *tell,
                                       void *data);

/* mistakes.c */
CH_HIDDEN void ch_event_leaked(const struct ch_cell *, const char *why);
CH_HIDDEN void ch_event_in_vain(ch_event, const struct ch_cell *);
CH_HIDDEN void ch_rendezvous_waited_twice(const struct ch_rendezvous_state *, const char *second);
CH_HIDDEN CH_COLD _Noreturn void ch_events_misuse(const char *what, const char *site);

#endif
