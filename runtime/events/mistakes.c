/* Mistakes with events. They are always counted, reported in checked builds, and fatal if the program wants that. */
#include "events/cells.h"
#include "frames/settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wished; /* enum ch_event_mistakes; 0: the program has not chosen one */

void ch_event_mistakes(enum ch_event_mistakes what) { wished = (int)what; }

static int policy(void) {
  if (!wished) {
    static const char *const words[] = {"count", "report", "fatal", NULL};
    static const enum ch_event_mistakes meanings[] = {CH_EVENTS_COUNT, CH_EVENTS_REPORT, CH_EVENTS_FATAL};
    const int word = ch_setting_word("CHARCOAL_EVENTS", words);
    wished = (int)(word >= 0 ? meanings[word] : ch_checks ? CH_EVENTS_REPORT : CH_EVENTS_COUNT);
  }
  return wished;
}

static const char *or_unknown(const char *site) { return site ? site : "an unknown place"; }

static void end(void) {
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}

void ch_events_misuse(const char *what, const char *site) {
  fprintf(stderr, "charcoal: %s%s%s\n", what, site ? "; it was made at " : "", site ? site : "");
  end();
  __builtin_unreachable();
}

void ch_event_leaked(const struct ch_cell *c, const char *why) {
  ch_events.counts.leaked++;
  if (policy() == CH_EVENTS_COUNT)
    return;
  fprintf(stderr, "charcoal: the event made at %s was not triggered when %s; wait for it, or cancel it\n",
          or_unknown(c->site), why);
  if (policy() == CH_EVENTS_FATAL)
    end();
}

/* The word's generation is the cell's last one, or the one before, of which the cell remembers the place. */
void ch_event_in_vain(ch_event e, const struct ch_cell *c) {
  uint32_t age = c ? c->generation - ch_event_generation(e) : 0;
  bool known = c && age == 1;
  if (known && !c->was_triggered) {
    ch_events.counts.late++;
    return;
  }
  ch_events.counts.twice++;
  if (policy() == CH_EVENTS_COUNT)
    return;
  if (!c)
    fprintf(stderr, "charcoal: what was triggered is not an event; trigger what mkevent has returned\n");
  else
    fprintf(stderr,
            "charcoal: the event made at %s was triggered after it had been triggered or cancelled; trigger each event "
            "once\n",
            or_unknown(!known                            ? NULL
                       : c->state == CH_CELL_OUTSTANDING ? c->before
                                                         : c->site));
  if (policy() == CH_EVENTS_FATAL)
    end();
}

void ch_rendezvous_waited_twice(const struct ch_rendezvous_state *s, const char *second) {
  if (policy() == CH_EVENTS_COUNT)
    return;
  fprintf(
      stderr,
      "charcoal: a rendezvous is waited for at %s while it is waited for at %s already, and it can have one waiter; "
      "use one rendezvous for each waiter\n",
      or_unknown(second), or_unknown(s->wait_site));
  if (policy() == CH_EVENTS_FATAL)
    end();
}

void ch_event_counts(struct ch_event_counts *to) { *to = ch_events.counts; }
