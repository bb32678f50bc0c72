/* Events and rendezvous as they lie in memory.
 *
 * A program holds an event by a word: which cell, and that cell's generation. Cells are never given back to the system,
 * and a cell's generation changes when its event is triggered or cancelled; so a word that is out of date is known as
 * such for ever, and no use of it reads or writes anything that is not the runtime's. (A cell whose generations are
 * used up is not used again.)
 *
 * Invariants, in the event's domain: 1. a cell is FREE, or on exactly one list: its rendezvous' `outstanding` or
 * `triggered`; 2. only an OUTSTANDING one has slots that are written, a source, or somebody who waits for it; 3. a
 * slot's `to` is NULL from the moment at which the block of its variable ends; 4. a rendezvous has a state from its
 * first event or wait until it is destroyed, and the state leads back to the one variable that leads to it; 5. at most
 * one clause waits for a rendezvous, and then nothing is in `triggered`. */
#ifndef CHARCOAL_EVENTS_CELLS_H
#define CHARCOAL_EVENTS_CELLS_H

#include "charcoal/events.h"
#include "reactor/inbox.h"
#include "wait/wait.h"

enum ch_cell_state { CH_CELL_FREE, CH_CELL_OUTSTANDING, CH_CELL_TRIGGERED };

struct ch_event_slot {
  struct ch_link link; /* on its anchor, if it has one; else next is NULL */
  void *to;            /* NULL: the value is dropped */
  uint32_t kind;
};

struct ch_cell {
  struct ch_link link; /* see invariant 1; FREE: next is the next free one */
  uint32_t index, generation;
  uint8_t state;      /* enum ch_cell_state */
  uint8_t n;          /* of its values */
  bool was_triggered; /* the event before this one, or, of a FREE cell, the last one */
  bool is_new;        /* of the domain's making: it has had no event yet */
  uint32_t id_size;
  union {
    char near[16];
    void *far; /* larger ones */
  } id;
  struct ch_rendezvous_state *home;
  const char *site, *before; /* where it was made; and the event before it */
  struct ch_source *source;  /* what triggers it; NULL: the program */
  struct ch_link waiters;    /* clauses of ch_event_wait */
  struct ch_event_slot slots[CH_EVENT_VALUES];
};

struct ch_rendezvous_state {
  struct ch_link all; /* of the domain */
  struct ch_rendezvous *variable;
  struct ch_link outstanding, triggered;
  struct ch_link waiter; /* the clause that waits, or empty */
  uint32_t outstandings, triggereds;
  const void *domain;
  const char *wait_site; /* of the clause that waits */
};

/* The memory of this thread's domain. */
struct ch_events {
  struct ch_link all; /* struct ch_rendezvous_state that are in use */
  struct ch_cell *free;
  struct ch_rendezvous_state *free_states;
  struct ch_event_counts counts;
};
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) struct ch_events ch_events;

static inline ch_event ch_cell_word(const struct ch_cell *c) {
  return (ch_event)((uintptr_t)c->generation << 32 | c->index);
}
static inline uint32_t ch_event_generation(ch_event e) { return (uint32_t)((uintptr_t)e >> 32); }
/* The cell that the word leads to, of whichever domain; NULL: it is no event at all. */
CH_HIDDEN struct ch_cell *ch_cell_of(ch_event);
/* Whose it is; NULL: its domain has ended. */
CH_HIDDEN struct ch_inbox *ch_cell_home(const struct ch_cell *);
/* The program is ended if there is no memory. */
CH_HIDDEN struct ch_cell *ch_cell_take(void);
/* Its generation has been changed. */
CH_HIDDEN void ch_cell_give(struct ch_cell *);
/* The domain of this thread ends. */
CH_HIDDEN void ch_events_end(void);
CH_HIDDEN struct ch_rendezvous_state *ch_rendezvous_take(void);
CH_HIDDEN void ch_rendezvous_give(struct ch_rendezvous_state *);

/* Stores a value of kind `from` as one of kind `to`. */
CH_HIDDEN void ch_value_store(void *to, uint32_t to_kind, const void *from, uint32_t from_kind);
static inline uint32_t ch_kind_size(uint32_t kind) { return kind >> 4; }

/* Of an OUTSTANDING cell, in its domain: it gets values, or is cancelled. Both take it off its source. */
CH_HIDDEN void ch_cell_trigger(struct ch_cell *, unsigned n, const struct ch_event_value *);
CH_HIDDEN void ch_cell_cancel(struct ch_cell *);
/* In the domain: the cell, if the event is outstanding; else NULL. */
CH_HIDDEN struct ch_cell *ch_event_outstanding(ch_event);

/* sources.c: the event is cancelled. */
CH_HIDDEN void ch_source_withdraw(struct ch_source *);
CH_HIDDEN const char *ch_source_what(const struct ch_source *);

/* about.c */
CH_HIDDEN void ch_rendezvous_about(const struct ch_clause *, struct ch_about *);
CH_HIDDEN void ch_event_about(const struct ch_clause *, struct ch_about *);

/* mistakes.c */
CH_HIDDEN void ch_event_leaked(const struct ch_cell *, const char *why);
CH_HIDDEN void ch_event_in_vain(ch_event, const struct ch_cell *);
CH_HIDDEN void ch_rendezvous_waited_twice(const struct ch_rendezvous_state *, const char *second);
CH_HIDDEN CH_COLD _Noreturn void ch_events_misuse(const char *what, const char *site);

#endif
