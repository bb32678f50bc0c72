/* The memory of events: see cells.h. Cells lie in chunks, which belong to a domain until it ends, and then wait for
 * another one; so do the states of rendezvous. */
#include "events/cells.h"
#include "frames/forks.h"
#include "frames/out_of_memory.h"
#include "wait/atomics.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 256
#define CHUNKS (1u << 16)

struct chunk {
  struct chunk *next; /* the next chunk of its domain, or of those that belong to no domain */
  struct ch_inbox *inbox;
  uint32_t first; /* the index of its first cell */
  struct ch_cell cells[CELLS];
};
struct states {
  struct states *next;
  struct ch_rendezvous_state all[64];
};

__thread __attribute__((tls_model("initial-exec"))) struct ch_events ch_events;
static __thread struct chunk *own;
static __thread struct states *states_of_thread;

CH_FORK_LOCK(lock, CH_INNER_LOCK)
static struct chunk *chunks[CHUNKS]; /* each entry is set once and never changed */
static uint32_t made;
static struct chunk *unowned;
static struct states *unowned_states;

/* ---- words ---- */

struct ch_cell *ch_cell_of(ch_event e) {
  uint32_t index = (uint32_t)(uintptr_t)e;
  if (index / CELLS >= CHUNKS)
    return NULL;
  struct chunk *chunk = ch_atomic_load(&chunks[index / CELLS]);
  return chunk && ch_event_generation(e) ? &chunk->cells[index % CELLS] : NULL;
}

struct ch_inbox *ch_cell_inbox(const struct ch_cell *c) { return ch_atomic_load(&chunks[c->index / CELLS]->inbox); }

/* ---- chunks ---- */

/* Its words become those of events that are gone. */
void ch_events_end(void) {
  while (own) {
    struct chunk *chunk = own;
    own = chunk->next;
    ch_atomic_store(&chunk->inbox, NULL);
    for (unsigned i = 0; i < CELLS; i++) {
      struct ch_cell *c = &chunk->cells[i];
      if (c->state == CH_CELL_OUTSTANDING)
        c->generation++;
      if (c->state != CH_CELL_FREE && c->id_size > sizeof c->id.near)
        free(c->id.far);
      if (c->state != CH_CELL_FREE)
        ch_list_init(&c->waiters);
      c->state = CH_CELL_FREE;
    }
    pthread_mutex_lock(&lock);
    chunk->next = unowned;
    unowned = chunk;
    pthread_mutex_unlock(&lock);
  }
  while (states_of_thread) {
    struct states *states = states_of_thread;
    states_of_thread = states->next;
    memset(states->all, 0, sizeof states->all);
    pthread_mutex_lock(&lock);
    states->next = unowned_states;
    unowned_states = states;
    pthread_mutex_unlock(&lock);
  }
  ch_events = (struct ch_events){.free = NULL};
}

static struct chunk *make_chunk(void) {
  if (made == CHUNKS)
    return NULL;
  struct chunk *chunk = calloc(1, sizeof *chunk);
  if (!chunk)
    return NULL;
  chunk->first = made * CELLS;
  for (unsigned i = 0; i < CELLS; i++) {
    chunk->cells[i].index = chunk->first + i;
    chunk->cells[i].generation = 1;
  }
  ch_atomic_store(&chunks[made], chunk);
  made++;
  return chunk;
}

CH_COLD static void get_cells(void) {
  struct ch_inbox *inbox = ch_inbox_here();
  pthread_mutex_lock(&lock);
  struct chunk *chunk = unowned;
  if (chunk)
    unowned = chunk->next;
  else
    chunk = make_chunk();
  pthread_mutex_unlock(&lock);
  if (!inbox || !chunk)
    ch_out_of_memory("an event");
  ch_atomic_store(&chunk->inbox, inbox);
  chunk->next = own;
  own = chunk;
  for (unsigned i = CELLS; i-- > 0;)
    ch_cell_give(&chunk->cells[i]);
}

struct ch_cell *ch_cell_take(void) {
  if (CH_UNLIKELY(!ch_events.free))
    get_cells();
  struct ch_cell *c = ch_events.free;
  ch_events.free = (struct ch_cell *)c->link.next;
  return c;
}

void ch_cell_give(struct ch_cell *c) {
  c->state = CH_CELL_FREE;
  if (CH_UNLIKELY(c->generation == UINT32_MAX))
    return;
  c->link.next = (struct ch_link *)ch_events.free;
  ch_events.free = c;
}

/* ---- rendezvous ---- */

static struct states *get_states(void) {
  pthread_mutex_lock(&lock);
  struct states *more = unowned_states;
  if (more)
    unowned_states = more->next;
  pthread_mutex_unlock(&lock);
  return more ? more : calloc(1, sizeof *more);
}

struct ch_rendezvous_state *ch_rendezvous_take(void) {
  struct ch_events *e = &ch_events;
  if (CH_UNLIKELY(!e->free_states)) {
    struct states *more = get_states();
    if (!more)
      ch_out_of_memory("an event");
    more->next = states_of_thread;
    states_of_thread = more;
    for (unsigned i = sizeof more->all / sizeof *more->all; i-- > 0;) {
      more->all[i].all.next = (struct ch_link *)e->free_states;
      e->free_states = &more->all[i];
    }
  }
  struct ch_rendezvous_state *s = e->free_states;
  e->free_states = (struct ch_rendezvous_state *)s->all.next;
  *s = (struct ch_rendezvous_state){.domain = &ch_domain};
  ch_list_init(&s->outstanding);
  ch_list_init(&s->triggered);
  ch_list_init(&s->waiter);
  if (!e->all.next)
    ch_list_init(&e->all);
  ch_list_append(&e->all, &s->all, false);
  return s;
}

void ch_rendezvous_give(struct ch_rendezvous_state *s) {
  ch_list_remove(&s->all);
  s->all.next = (struct ch_link *)ch_events.free_states;
  ch_events.free_states = s;
}
