/* Lists of waiters: circular and doubly linked, with the object's link as the head.
 *
 * A node is the link of a branch (it waits for this object alone) or of a clause (one of several things that a
 * branch waits for). Bit 0 of a node's own `prev` tells: set in a clause's link. Nobody but this file looks at it.
 *
 * Invariants: 1. a head with next == NULL or next == itself is empty; 2. following `next` from a head returns to
 * it; 3. for every node n, n.next.prev (bit 0 cleared) == n; 4. a head's bit 0 is clear.
 */
#ifndef CHARCOAL_WAIT_LINK_H
#define CHARCOAL_WAIT_LINK_H

#include "charcoal.h"
#include "sched/check.h"
#include <stdbool.h>

static inline struct ch_link *ch_link_prev(const struct ch_link *n) {
  return (struct ch_link *)((uintptr_t)n->prev & ~(uintptr_t)1);
}
static inline void ch_link_set_prev(struct ch_link *n, struct ch_link *prev) {
  n->prev = (struct ch_link *)((uintptr_t)prev | ((uintptr_t)n->prev & 1));
}
static inline bool ch_link_is_clause(const struct ch_link *n) { return (uintptr_t)n->prev & 1; }

static inline void ch_list_init(struct ch_link *head) { head->next = head->prev = head; }
static inline bool ch_list_empty(const struct ch_link *head) { return !head->next || head->next == head; }

/* Says that ch_list_init has been called for the head, or that the list is not empty: the compiler leaves out what is
 * for a zeroed head. */
static inline void ch_list_is_initialised(const struct ch_link *head) {
  CH_INVARIANT(head->next != NULL, "the list has been initialised");
  if (!head->next)
    __builtin_unreachable();
}

static inline void ch_list_append(struct ch_link *head, struct ch_link *n, bool clause) {
  if (__builtin_expect(!head->next, 0))
    ch_list_init(head);
  struct ch_link *last = head->prev;
  n->next = head;
  n->prev = (struct ch_link *)((uintptr_t)last | clause);
  last->next = n;
  head->prev = n;
}
/* Puts n before a node, or before the head. */
static inline void ch_list_insert(struct ch_link *next, struct ch_link *n, bool clause) {
  struct ch_link *prev = ch_link_prev(next);
  n->next = next;
  n->prev = (struct ch_link *)((uintptr_t)prev | clause);
  prev->next = n;
  ch_link_set_prev(next, n);
}
static inline void ch_list_remove(struct ch_link *n) {
  struct ch_link *prev = ch_link_prev(n);
  prev->next = n->next;
  ch_link_set_prev(n->next, prev);
}
/* Does the same on a list that has no clauses. */
static inline void ch_list_remove_plain(struct ch_link *n) {
  struct ch_link *next = n->next, *prev = n->prev;
  prev->next = next;
  next->prev = prev;
}
/* Moves all nodes to another head, and leaves `from` empty. */
static inline void ch_list_take(struct ch_link *to, struct ch_link *from) {
  ch_list_init(to);
  if (ch_list_empty(from))
    return;
  to->next = from->next;
  to->prev = from->prev;
  ch_link_set_prev(to->next, to);
  to->prev->next = to;
  ch_list_init(from);
}

#endif
