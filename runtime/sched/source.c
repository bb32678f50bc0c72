/* Sources of events: functions of the program that a domain calls while it looks for work (charcoal/lowlevel.h).
 *
 * Invariants: 1. `sources` holds those that were added and not removed, in order, and `source_count` is how many; 2.
 * each counts as something outside that can make an activity of the base group runnable; 3. `looking` is what follows
 * the source whose `look` runs, also when that or any other is removed. */
#include "charcoal/lowlevel.h"
#include "sched/domain.h"
#include <errno.h>

int ch_source_add(ch_source *s, void (*look)(void *), void *argument) {
  struct ch_domain *d = &ch_domain;
  if (!ch_is_in_domain())
    return EPERM;
  s->look = look;
  s->argument = argument;
  ch_list_append(&d->sources, &s->link, false);
  d->source_count++;
  d->base.outside++;
  ch_slice_if_in_company();
  return 0;
}

void ch_source_remove(ch_source *s) {
  struct ch_domain *d = &ch_domain;
  if (d->looking == &s->link)
    d->looking = s->link.next;
  ch_list_remove(&s->link);
  d->source_count--;
  d->base.outside--;
}

void ch_sources_look(void) {
  struct ch_domain *d = &ch_domain;
  struct ch_link *n = d->sources.next;
  if (CH_LIKELY(n->next == &d->sources)) { /* there is at most one, so none follows even if it is removed */
    if (n != &d->sources)
      ((ch_source *)n)->look(((ch_source *)n)->argument);
    return;
  }
  for (; n != &d->sources; n = d->looking) {
    ch_source *s = (ch_source *)n;
    d->looking = n->next;
    s->look(s->argument);
  }
  d->looking = NULL;
}
_Static_assert(offsetof(ch_source, link) == 0, "a source begins with its link");
