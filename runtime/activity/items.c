/* What a cancel calls (charcoal/lowlevel.h). An item is on the list of its scope, or, where its activity has no scope
 * open, on one of the thread: there the activity itself is what may be cancelled. Off any list, link.next is NULL. */
#include "activity/cancel.h"
#include "charcoal/lowlevel.h"
#include "wait/wait.h"
#include <errno.h>

static __thread struct ch_link items_at_roots;

int ch_cancel_add(ch_cancel_item *item, void (*fn)(void *), void *argument) {
  struct ch_branch *b = ch_is_in_branch() ? ch_domain.current : NULL;
  *item = (ch_cancel_item){.fn = fn, .argument = argument, .of = b};
  if (CH_UNLIKELY(!b))
    return EPERM;
  if (ch_is_marked())
    return ECANCELED;
  ch_list_append(b->scope ? &b->scope->items : &items_at_roots, &item->link, false);
  return 0;
}

void ch_cancel_remove(ch_cancel_item *item) {
  if (!item->link.next)
    return;
  ch_list_remove(&item->link);
  item->link.next = NULL;
}

void ch_cancel_item_call(struct ch_link *link) {
  ch_cancel_item *item = (ch_cancel_item *)link;
  ch_cancel_remove(item);
  item->fn(item->argument);
}

void ch_cancel_items_of(struct ch_branch *b) {
  struct ch_link mine;
  ch_list_init(&mine);
  for (struct ch_link *n = items_at_roots.next, *next; n && n != &items_at_roots; n = next) {
    next = n->next;
    if (((ch_cancel_item *)n)->of == b) {
      ch_list_remove(n);
      ch_list_append(&mine, n, false);
    }
  }
  while (!ch_list_empty(&mine))
    ch_cancel_item_call(mine.next);
}
