/* The functions that programs register to be called at a cancel (charcoal/lowlevel.h). An item is on the list of its
 * scope. If its activity has no open scope, the item is a *root item*: it is on a list of the thread, and is called
 * when the activity itself is cancelled. While an item is on no list its link.next is NULL.
 *
 * Root items are found by their branch. There is one list for all of them while they are few, and otherwise a table of
 * at least half as many lists as items. */
#include "activity/cancel.h"
#include "charcoal/lowlevel.h"
#include "wait/wait.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

enum { FEW = 32 };

static __thread struct {
  struct ch_link few;    /* all root items while there is no table */
  struct ch_link *table; /* NULL: there is no table */
  unsigned bits;         /* the table has 1 << bits lists */
  size_t items;
} roots;

static struct ch_link *list_of(const struct ch_branch *b) {
  return roots.table ? &roots.table[(uintptr_t)b * UINT64_C(0x9e3779b97f4a7c15) >> (64 - roots.bits)] : &roots.few;
}

/* Puts the items of a list into the lists to which they belong now, in their order. */
static void spread(struct ch_link *list) {
  while (list->next && !ch_list_empty(list)) {
    struct ch_link *n = list->next;
    ch_list_remove(n);
    ch_list_append(list_of(((ch_cancel_item *)n)->of), n, false);
  }
}

/* Makes a table for twice as many items. If there is no memory the lists grow longer. */
CH_COLD static void grow(void) {
  struct ch_link *old = roots.table, *table;
  unsigned bits = 6;
  while (((size_t)1 << bits) < roots.items)
    bits++;
  if (!(table = malloc(sizeof *table << bits)))
    return;
  for (size_t i = 0; i < (size_t)1 << bits; i++)
    ch_list_init(&table[i]);
  size_t lists = old ? (size_t)1 << roots.bits : 0;
  roots.table = table;
  roots.bits = bits;
  spread(&roots.few);
  for (size_t i = 0; i < lists; i++)
    spread(&old[i]);
  free(old);
}

static void add_root_item(ch_cancel_item *item) {
  item->of = ch_domain.current;
  roots.items++;
  if (CH_UNLIKELY(roots.items > (roots.table ? (size_t)2 << roots.bits : FEW)))
    grow();
  ch_list_append(list_of(item->of), &item->link, false);
}

static void remove_root_item(void) {
  if (--roots.items > 0 || !roots.table)
    return;
  free(roots.table);
  roots.table = NULL;
}

int ch_cancel_add(ch_cancel_item *item, void (*fn)(void *), void *argument) {
  struct ch_branch *b = ch_is_in_branch() ? ch_domain.current : NULL;
  *item = (ch_cancel_item){.fn = fn, .argument = argument};
  if (CH_UNLIKELY(!b))
    return EPERM;
  if (ch_is_marked())
    return ECANCELED;
  if (b->scope)
    ch_list_append(&b->scope->items, &item->link, false);
  else
    add_root_item(item);
  return 0;
}

void ch_cancel_remove(ch_cancel_item *item) {
  if (!item->link.next)
    return;
  ch_list_remove(&item->link);
  item->link.next = NULL;
  if (item->of)
    remove_root_item();
}

void ch_cancel_item_call(struct ch_link *link) {
  ch_cancel_item *item = (ch_cancel_item *)link;
  ch_cancel_remove(item);
  item->fn(item->argument);
}

/* The first root item of the branch, or NULL. */
static struct ch_link *first_of(const struct ch_branch *b) {
  struct ch_link *list = list_of(b), *n = list->next;
  while (n && n != list && ((ch_cancel_item *)n)->of != b)
    n = n->next;
  return n == list ? NULL : n;
}

void ch_cancel_items_of(struct ch_branch *b) {
  struct ch_link *n;
  while (roots.items > 0 && (n = first_of(b)))
    ch_cancel_item_call(n);
}
