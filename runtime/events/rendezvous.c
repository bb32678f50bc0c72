/* mkevent, trigger, cancel and twait. charcoal/events.h says what they mean, and cells.h has their invariants. */
#include "events/cells.h"
#include "activity/scope.h"
#include "sched/open_blocks.h"
#include "sync/plain.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct ch_rendezvous_state state_t;

/* ---- the state of a variable ---- */

static state_t *state_of(struct ch_rendezvous *r) {
  state_t *s = r->state;
  if (CH_UNLIKELY(!s)) {
    if (!ch_is_in_domain())
      ch_events_misuse("a rendezvous is used on a thread that has no domain; call ch_domain_enter first", NULL);
    s = r->state = ch_rendezvous_take();
    s->variable = r;
  }
  if (CH_UNLIKELY(s->variable != r))
    ch_events_misuse("a rendezvous was copied, or its memory was not zeroed; pass on its address, and zero memory that "
                     "you allocate for it",
                     NULL);
  if (CH_UNLIKELY(s->domain != &ch_domain))
    ch_events_misuse("a rendezvous is used in another domain than its own; give each domain one of its own, whose "
                     "events any domain may trigger",
                     NULL);
  return s;
}

/* ---- slots ---- */

static void let_go(struct ch_event_slot *s) {
  if (s->link.next)
    ch_list_remove(&s->link);
  s->link.next = NULL;
  s->to = NULL;
}

static void fill(struct ch_event_slot *s, const struct ch_event_slot_made *made) {
  uintptr_t to = (uintptr_t)made->to, variable = (uintptr_t)made->variable;
  s->to = made->to;
  s->kind = made->kind;
  s->link.next = NULL;
  if (made->anchor && to - variable < made->size)
    ch_list_append(&made->anchor->slots, &s->link, false);
}

static void let_all_go(struct ch_event_anchor *a) {
  while (!ch_list_empty(&a->slots))
    let_go((struct ch_event_slot *)a->slots.next);
}

/* ---- ids ---- */

static void set_id(struct ch_cell *c, const void *id, unsigned size) {
  c->id_size = size;
  if (size > sizeof c->id.near && !(c->id.far = malloc(size)))
    ch_events_misuse("out of memory: no room for the id of an event", c->site);
  memcpy(size > sizeof c->id.near ? c->id.far : c->id.near, id ? id : "", size);
}
static void drop_id(struct ch_cell *c) {
  if (CH_UNLIKELY(c->id_size > sizeof c->id.near))
    free(c->id.far);
  c->id_size = 0;
}
static void take_id(struct ch_cell *c, void *to, unsigned size) {
  if (to && c->id_size)
    memcpy(to, c->id_size > sizeof c->id.near ? c->id.far : c->id.near, size < c->id_size ? size : c->id_size);
  drop_id(c);
}

/* ---- mkevent ---- */

ch_event ch_event_make(struct ch_rendezvous *r, const void *id, unsigned id_size, unsigned n,
                       const struct ch_event_slot_made *slots, const char *site) {
  state_t *s = state_of(r);
  struct ch_cell *c = ch_cell_take();
  c->before = c->site;
  c->site = site;
  c->state = CH_CELL_OUTSTANDING;
  c->n = (uint8_t)n;
  c->rendezvous = s;
  c->source = NULL;
  c->waiters.next = NULL;
  set_id(c, id, id_size);
  for (unsigned i = 0; i < n; i++)
    fill(&c->slots[i], &slots[i]);
  ch_list_append(&s->outstanding, &c->link, false);
  s->outstandings++;
  ch_events.counts.made++;
  return ch_cell_word(c);
}

struct ch_cell *ch_event_outstanding(ch_event e) {
  struct ch_cell *c = ch_cell_of(e);
  if (!c || c->generation != ch_event_generation(e) || c->state != CH_CELL_OUTSTANDING)
    return NULL;
  if (CH_UNLIKELY(c->rendezvous->domain != &ch_domain))
    ch_events_misuse("an event is used in another domain than its own, where it can only be triggered", c->site);
  return c;
}

/* ---- waiting for a rendezvous ---- */

static struct ch_rendezvous_wait__clause *wait_of(struct ch_clause *c) {
  return (struct ch_rendezvous_wait__clause *)c;
}
static bool waits_for_all(const struct ch_clause *c);

static void consume(state_t *s, void *to, unsigned size) {
  struct ch_cell *c = (struct ch_cell *)s->triggered.next;
  ch_list_remove(&c->link);
  s->triggereds--;
  take_id(c, to, size);
  ch_cell_give(c);
}
static void drop_triggered(state_t *s) {
  while (s->triggereds)
    consume(s, NULL, 0);
}

static bool may_go_on(state_t *s, const struct ch_clause *c) {
  return waits_for_all(c) ? s->outstandings == 0 : s->triggereds != 0;
}
static void goes_on(state_t *s, struct ch_clause *c) {
  if (waits_for_all(c))
    drop_triggered(s);
  else
    consume(s, wait_of(c)->to, wait_of(c)->size);
  c->value = 0;
}

/* Is called when the set of events has changed, and lets the waiter go on if it can. */
static void look(state_t *s) {
  struct ch_clause *c = ch_list_first(&s->waiter);
  if (!c || !may_go_on(s, c) || !ch_claim(c))
    return;
  goes_on(s, c);
  ch_wake(c);
}

static int enlist(struct ch_clause *c) {
  state_t *s = state_of(c->object);
  if (CH_UNLIKELY(!ch_list_empty(&s->waiter))) {
    ch_rendezvous_waited_twice(s, wait_of(c)->site);
    c->value = EBUSY;
    return CH_CLAUSE_READY;
  }
  if (may_go_on(s, c)) {
    goes_on(s, c);
    return CH_CLAUSE_READY;
  }
  s->wait_site = wait_of(c)->site;
  ch_list(&s->waiter, c);
  return CH_CLAUSE_LISTED;
}
static bool is_ready(const struct ch_clause *c) { return may_go_on(state_of(c->object), c); }

#define TYPE(text) {.what = (text), .enlist = enlist, .ready = is_ready, .about = ch_rendezvous_about}
static const struct ch_clause_type one_type = TYPE("rendezvous"), all_type = TYPE("all events of a rendezvous");
static bool waits_for_all(const struct ch_clause *c) { return c->type == &all_type; }

void ch_rendezvous_wait__clause(struct ch_rendezvous_wait__clause *c, struct ch_rendezvous *r, void *to, unsigned size,
                                const char *site) {
  *c = (struct ch_rendezvous_wait__clause){{.type = &one_type, .object = r}, to, size, site};
}
void ch_rendezvous_wait_all__clause(struct ch_rendezvous_wait_all__clause *c, struct ch_rendezvous *r,
                                    const char *site) {
  c->wait = (struct ch_rendezvous_wait__clause){{.type = &all_type, .object = r}, NULL, 0, site};
}

static const struct ch_leaf one_leaves[2] = CH_FORM_LEAVES("twait", struct ch_rendezvous_wait__clause);
static const struct ch_leaf all_leaves[2] = CH_FORM_LEAVES("twait", struct ch_rendezvous_wait_all__clause);

/* Returns the result of a wait that is over at once, or -1 if it is not. */
static int wait_at_once(struct ch_clause *c) {
  if (ch_is_marked())
    return ECANCELED;
  state_t *s = state_of(c->object);
  if (!ch_list_empty(&s->waiter) || !may_go_on(s, c))
    return -1;
  goes_on(s, c);
  return 0;
}

struct ch_int_result ch_rendezvous_wait_int(struct ch_rendezvous *, void *, unsigned, const char *)
    CH_INT_NAME(ch_rendezvous_wait);
struct ch_int_result ch_rendezvous_wait_int(struct ch_rendezvous *r, void *to, unsigned size, const char *site) {
  struct ch_rendezvous_wait__clause c;
  ch_rendezvous_wait__clause(&c, r, to, size, site);
  int result = wait_at_once(&c.clause);
  return result >= 0 ? ch_done(result) : ch_form_wait_int(one_leaves, &c.clause);
}
int ch_rendezvous_wait(struct ch_rendezvous *r, void *to, unsigned size, const char *site) {
  struct ch_rendezvous_wait__clause c;
  ch_rendezvous_wait__clause(&c, r, to, size, site);
  int result = wait_at_once(&c.clause);
  return result >= 0 ? result : (int)ch_form_wait(one_leaves, &c.clause);
}

struct ch_int_result ch_rendezvous_wait_all_int(struct ch_rendezvous *, const char *)
    CH_INT_NAME(ch_rendezvous_wait_all);
struct ch_int_result ch_rendezvous_wait_all_int(struct ch_rendezvous *r, const char *site) {
  struct ch_rendezvous_wait_all__clause c;
  ch_rendezvous_wait_all__clause(&c, r, site);
  int result = wait_at_once(&c.wait.clause);
  return result >= 0 ? ch_done(result) : ch_form_wait_int(all_leaves, &c.wait.clause);
}
int ch_rendezvous_wait_all(struct ch_rendezvous *r, const char *site) {
  struct ch_rendezvous_wait_all__clause c;
  ch_rendezvous_wait_all__clause(&c, r, site);
  int result = wait_at_once(&c.wait.clause);
  return result >= 0 ? result : (int)ch_form_wait(all_leaves, &c.wait.clause);
}

/* ---- trigger and cancel ---- */

static void wake_waiters(struct ch_cell *c, int result) {
  struct ch_claimed_list woken = {0};
  struct ch_clause *waiter;
  while ((waiter = ch_list_first(&c->waiters)))
    if (ch_claim(waiter)) {
      waiter->value = result;
      ch_claimed_add(&woken, waiter);
    }
  ch_wake_all(&woken);
}

/* Ends the event, which is then not outstanding any more, and takes its slots off their anchors. */
static void settle(struct ch_cell *c, bool triggered) {
  ch_list_remove(&c->link);
  c->rendezvous->outstandings--;
  c->generation++;
  c->was_triggered = triggered;
  for (unsigned i = 0; i < c->n; i++)
    let_go(&c->slots[i]);
  struct ch_source *source = c->source;
  c->source = NULL;
  if (CH_UNLIKELY(source != NULL))
    ch_source_withdraw(source);
}

void ch_cell_trigger(struct ch_cell *c, unsigned n, const struct ch_event_value *values) {
  state_t *s = c->rendezvous;
  for (unsigned i = 0; i < n && i < c->n; i++)
    if (c->slots[i].to)
      ch_value_store(c->slots[i].to, c->slots[i].kind, values[i].from, values[i].kind);
    else
      ch_events.counts.skipped++;
  settle(c, true);
  ch_events.counts.triggered++;
  c->state = CH_CELL_TRIGGERED;
  ch_list_append(&s->triggered, &c->link, false);
  s->triggereds++;
  if (CH_UNLIKELY(!ch_list_empty(&c->waiters)))
    wake_waiters(c, 0);
  look(s);
}

static void cancel(struct ch_cell *c) {
  settle(c, false);
  drop_id(c);
  c->state = CH_CELL_FREE;
  if (CH_UNLIKELY(!ch_list_empty(&c->waiters)))
    wake_waiters(c, ESTALE);
  ch_cell_give(c);
}
void ch_cell_cancel(struct ch_cell *c) {
  state_t *s = c->rendezvous;
  ch_events.counts.cancelled++;
  cancel(c);
  look(s);
}

/* A trigger on another thread sends the values in a letter to the event's domain. */
struct letter {
  struct ch_letter letter;
  ch_event event;
  unsigned n;
  struct ch_event_value values[CH_EVENT_VALUES];
};

static void arrived(struct ch_letter *opened) {
  struct letter *l = (struct letter *)opened;
  struct ch_cell *c = ch_cell_of(l->event);
  if (ch_cell_inbox(c) == ch_inbox_of_thread)
    ch_event_trigger(l->event, l->n, l->values);
  free(l);
}

static int send_values(struct ch_inbox *inbox, ch_event e, unsigned n, const struct ch_event_value *values) {
  size_t size = sizeof(struct letter);
  for (unsigned i = 0; i < n; i++)
    size += (ch_kind_size(values[i].kind) + 15) & ~(size_t)15;
  struct letter *l = malloc(size);
  if (!l)
    return ENOMEM;
  *l = (struct letter){{.open = arrived}, e, n, {{0}}};
  char *to = (char *)(l + 1);
  for (unsigned i = 0; i < n; i++) {
    size_t bytes = ch_kind_size(values[i].kind);
    l->values[i] = (struct ch_event_value){memcpy(to, values[i].from, bytes), values[i].kind};
    to += (bytes + 15) & ~(size_t)15;
  }
  if (ch_inbox_post(inbox, &l->letter))
    return 0;
  free(l); /* the domain has ended, and with it what it had made */
  return EALREADY;
}

int ch_event_trigger(ch_event e, unsigned n, const struct ch_event_value *values) {
  struct ch_cell *c = ch_cell_of(e);
  struct ch_inbox *inbox = c ? ch_cell_inbox(c) : NULL;
  if (CH_UNLIKELY(inbox && inbox != ch_inbox_of_thread))
    return ch_atomic_load(&c->generation) != ch_event_generation(e) ? EALREADY : send_values(inbox, e, n, values);
  if (CH_UNLIKELY(!inbox || c->generation != ch_event_generation(e) || c->state != CH_CELL_OUTSTANDING)) {
    ch_event_in_vain(e, c);
    return EALREADY;
  }
  ch_cell_trigger(c, n, values);
  return 0;
}

int ch_event_cancel_(ch_event e) {
  struct ch_cell *c = ch_event_outstanding(e);
  if (!c)
    return EALREADY;
  ch_cell_cancel(c);
  return 0;
}
int ch_event_is_outstanding_(ch_event e) { return ch_event_outstanding(e) != NULL; }

/* ---- all of a rendezvous ---- */

static bool in_cancelled_scope(void) { return ch_domain.current && ch_is_marked(); }

/* `leaked`: why those that are outstanding should not be; NULL: they may be. */
static void empty(state_t *s, const char *leaked) {
  if (leaked && in_cancelled_scope())
    leaked = NULL;
  while (s->outstandings) {
    struct ch_cell *c = (struct ch_cell *)s->outstanding.next;
    if (leaked)
      ch_event_leaked(c, leaked);
    else
      ch_events.counts.cancelled++;
    cancel(c);
  }
  drop_triggered(s);
}

int ch_rendezvous_cancel_(struct ch_rendezvous *r) {
  if (!r->state)
    return 0;
  state_t *s = state_of(r);
  if (!ch_list_empty(&s->waiter))
    return EBUSY;
  empty(s, NULL);
  return 0;
}

static int destroy(struct ch_rendezvous *r, const char *leaked) {
  if (!r->state)
    return 0;
  state_t *s = state_of(r);
  if (!ch_list_empty(&s->waiter))
    return EBUSY;
  empty(s, leaked);
  ch_rendezvous_give(s);
  r->state = NULL;
  return 0;
}
int ch_rendezvous_destroy_(struct ch_rendezvous *r) { return destroy(r, "its rendezvous was destroyed"); }

unsigned ch_rendezvous_outstanding_(struct ch_rendezvous *r) { return r->state ? state_of(r)->outstandings : 0; }
unsigned ch_rendezvous_triggered_(struct ch_rendezvous *r) { return r->state ? state_of(r)->triggereds : 0; }

/* ---- blocks that end ---- */

/* The rendezvous goes with its block, whoever waits for it. */
static void go(state_t *s, const char *leaked) {
  struct ch_clause *waiter = ch_list_first(&s->waiter);
  empty(s, leaked);
  if (CH_UNLIKELY(waiter != NULL) && ch_claim(waiter)) {
    waiter->value = ESTALE;
    ch_wake(waiter);
  }
  ch_rendezvous_give(s);
}
static void end_with_block(struct ch_rendezvous *r, const char *leaked) {
  if (!r->state)
    return;
  go(state_of(r), leaked);
  r->state = NULL;
}

struct span {
  char *at;
  size_t size;
  unsigned short block;
};
/* Whether what is in this word of a variable is a rendezvous: any word can be in a structure. */
static bool is_rendezvous(const struct ch_rendezvous *r) {
  for (struct ch_link *n = ch_events.all.next; n && n != &ch_events.all; n = n->next)
    if ((state_t *)n == r->state)
      return r->state->variable == r;
  return false;
}
static void leave_span(struct span *s) {
  const char *why = "its rendezvous went out of scope";
  if (s->size == sizeof(struct ch_rendezvous)) {
    end_with_block((struct ch_rendezvous *)s->at, why);
    return;
  }
  for (size_t i = 0; i + sizeof(struct ch_rendezvous) <= s->size; i += sizeof(void *)) {
    struct ch_rendezvous *r = (struct ch_rendezvous *)(s->at + i);
    if (r->state && is_rendezvous(r))
      end_with_block(r, why);
  }
}

/* A longjmp leaves these blocks without the code at their ends. After one of plain code their memory is gone, but it is
 * still known which addresses it had. */
static bool is_between(const void *p, uintptr_t low, uintptr_t high) {
  return (uintptr_t)p >= low && (uintptr_t)p < high;
}
static void forget_slot(struct ch_event_slot *s, uintptr_t low, uintptr_t high) {
  if (!is_between(s->to, low, high))
    return;
  struct ch_link *next = s->link.next, *prev = s->link.prev;
  s->to = NULL;
  if (!next)
    return;
  if (!is_between(prev, low, high))
    prev->next = next;
  if (!is_between(next, low, high))
    next->prev = prev;
  s->link.next = NULL;
}
CH_HIDDEN void ch_events_forget(uintptr_t low, uintptr_t high);
void ch_events_forget(uintptr_t low, uintptr_t high) {
  struct ch_link *all = &ch_events.all;
  for (struct ch_link *n = all->next, *next; n && n != all; n = next) {
    state_t *s = (state_t *)n;
    next = n->next;
    for (struct ch_link *c = s->outstanding.next; c != &s->outstanding; c = c->next)
      for (unsigned i = 0; i < ((struct ch_cell *)c)->n; i++)
        forget_slot(&((struct ch_cell *)c)->slots[i], low, high);
  }
  for (struct ch_link *n = all->next, *next; n && n != all; n = next) {
    next = n->next;
    if (is_between(((state_t *)n)->variable, low, high))
      go((state_t *)n, NULL);
  }
}

void ch_event_anchor_leave(struct ch_event_anchor *);
void ch_rendezvous_span_leave(struct span *);
void ch_twait_block_leave(struct ch_twait_block *);
static void leave_anchor(void *a) { ch_event_anchor_leave(a); }
static void leave_span_of(void *s) { ch_rendezvous_span_leave(s); }
static void leave_twait(void *b) { ch_twait_block_leave(b); }
#define KIND(leave) {.what = "a block with events", .remedy = "", .take_back = (leave), .forget = ch_events_forget}
static const struct ch_block_kind anchor = KIND(leave_anchor), span = KIND(leave_span_of), twait = KIND(leave_twait);

static unsigned short enter(void *block, const struct ch_block_kind *kind) {
  return ch_blocks_may_be_left() && ch_domain.current ? ch_block_open(block, kind, NULL) : 0;
}
static void leave(void *block, unsigned short *entry) {
  if (CH_UNLIKELY(*entry != 0))
    ch_block_close(block, *entry);
}

unsigned short ch_event_anchor_enter(struct ch_event_anchor *);
unsigned short ch_event_anchor_enter(struct ch_event_anchor *a) { return enter(a, &anchor); }
void ch_event_anchor_leave(struct ch_event_anchor *a) {
  leave(a, &a->block);
  let_all_go(a);
}

unsigned short ch_rendezvous_span_enter(struct span *);
unsigned short ch_rendezvous_span_enter(struct span *s) { return enter(s, &span); }
void ch_rendezvous_span_leave(struct span *s) {
  leave(s, &s->block);
  leave_span(s);
}

unsigned short ch_twait_block_enter(struct ch_twait_block *);
unsigned short ch_twait_block_enter(struct ch_twait_block *b) { return enter(b, &twait); }
void ch_twait_block_leave(struct ch_twait_block *b) {
  leave(b, &b->block);
  end_with_block(&b->rendezvous, NULL);
}

/* ---- waiting for one event ---- */

static int enlist_event(struct ch_clause *clause) {
  struct ch_cell *c = ch_event_outstanding((ch_event)clause->object);
  if (!c) {
    clause->value = ESTALE;
    return CH_CLAUSE_READY;
  }
  ch_list(&c->waiters, clause);
  return CH_CLAUSE_LISTED;
}
static bool event_is_over(const struct ch_clause *clause) { return !ch_event_outstanding((ch_event)clause->object); }
static const struct ch_clause_type event_type = {
    .what = "event", .enlist = enlist_event, .ready = event_is_over, .about = ch_event_about};
void ch_event_wait___clause(struct ch_event_wait___clause *c, ch_event e) {
  c->clause = (struct ch_clause){.type = &event_type, .object = (void *)e};
}
static const struct ch_leaf event_leaves[2] = CH_FORM_LEAVES("ch_event_wait", struct ch_event_wait___clause);

static int over_at_once(ch_event e) {
  if (ch_is_marked())
    return ECANCELED;
  return ch_event_outstanding(e) ? -1 : ESTALE;
}
struct ch_int_result ch_event_wait__int(ch_event) CH_INT_NAME(ch_event_wait_);
struct ch_int_result ch_event_wait__int(ch_event e) {
  struct ch_event_wait___clause c;
  int result = over_at_once(e);
  if (result >= 0)
    return ch_done(result);
  ch_event_wait___clause(&c, e);
  return ch_form_wait_int(event_leaves, &c.clause);
}
int ch_event_wait_(ch_event e) {
  struct ch_event_wait___clause c;
  int result = over_at_once(e);
  if (result >= 0)
    return result;
  ch_event_wait___clause(&c, e);
  return (int)ch_form_wait(event_leaves, &c.clause);
}

void ch_event_end_fork(ch_event e, const void *result, unsigned kind) {
  ch_event_trigger(e, result != NULL, (struct ch_event_value[]){{result, kind}});
}
void ch_event_callback(void *argument) { ch_event_trigger((ch_event)argument, 0, NULL); }
