/* See no_yield.h. Only the thread's running code can be in a block, for whoever is set aside in one ends the program:
 * so nothing has to be put aside at a switch.
 *
 * A block counts as a spinlock that is held: yield points inside are void (domain.c), other than those pauses that the
 * program asks for by name. */
#include "sched/no_yield.h"
#include "charcoal.h"
#include "report/about.h"
#include "report/dump.h"
#include "report/place.h"
#include "report/symbols.h"
#include "sched/native.h"
#include "sched/schedule.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static __thread __attribute__((tls_model("initial-exec"))) struct {
  const char *site;      /* of the innermost block around the running code; NULL: there is none */
  struct ch_branch *who; /* NULL: the thread's own code, which may have no branch yet */
} block;

const char *ch_no_yield(const char *site) {
  const char *before = block.site;
  if (site && !before) {
    if (!(__atomic_load_n(&ch_watched, __ATOMIC_RELAXED) & CH_WATCH_NO_YIELD))
      __atomic_or_fetch(&ch_watched, CH_WATCH_NO_YIELD, __ATOMIC_RELAXED);
    block.who = ch_domain.current;
    ch_domain.spinlocks++;
  } else if (!site && before && ch_domain.spinlocks > 0) {
    ch_domain.spinlocks--;
  }
  block.site = site;
  return before;
}

void ch_no_yield_drop(void) { (void)ch_no_yield(NULL); }

/* ---- the report ---- */

/* In plain code: the innermost function that is not the runtime's. */
static bool native_place(const struct ch_branch *b, char *text, size_t room) {
  void *pcs[CH_NATIVE_FRAMES];
  unsigned n = ch_dump_native(b, pcs);
  for (unsigned i = 0; i < n; i++) {
    struct ch_place place;
    if (!ch_place_of((char *)pcs[i] - 1, &place) || !place.function[0] || strncmp(place.function, "ch_", 3) == 0)
      continue;
    if (!ch_place_text(pcs[i], text, room))
      snprintf(text, room, "%s", place.function);
    return true;
  }
  return false;
}

/* The innermost place of the program's own code; without debug information, the innermost function that has a name. */
static void place_of_wait(const struct ch_branch *b, char *text, size_t room) {
  struct ch_frame *f = b ? b->top : NULL;
  struct ch_spot spot;
  snprintf(text, room, "an unknown place");
  if (b && b->flags & CH_NATIVE && ch_native_is_waiting(b)) {
    if (native_place(b, text, room))
      return;
    f = f->parent;
  }
  for (bool known = false; f && !ch_is_chain_end(f); f = f->parent) {
    if (!ch_about_frame(f->info, f->point, 0, &spot) || !spot.function)
      continue;
    bool ours = ch_frame_is_ours(f->info);
    if (!ours)
      snprintf(text, room, "%s:%u, in %s", spot.file ? spot.file : "?", spot.line, spot.function);
    else if (!known)
      snprintf(text, room, "%s", spot.function);
    if (!ours)
      return;
    known = true;
  }
}

CH_COLD static _Noreturn void report(const struct ch_branch *b, const char *did) {
  char place[512];
  place_of_wait(b, place, sizeof place);
  fprintf(stderr,
          "charcoal: the activity switched inside assert_no_yield at %s: it %s at %s. Do that before the block or "
          "behind it; where others may well run meanwhile, take the block away.\n",
          block.site, did, place);
  fflush(NULL);
  ch_schedule_failed();
  _exit(CH_EXIT_MISUSE);
}

void ch_no_yield_pauses_slow(void) {
  if (block.site)
    ch_domain.gives_way = 1;
}

void ch_no_yield_run_ends(int status) {
  struct ch_branch *who = block.who ? block.who : ch_domain.host;
  if (!block.site)
    return;
  if (status == CH_DONE)
    ch_no_yield_drop();
  else if (status != CH_PAUSED)
    report(who, "waited");
  else if (ch_domain.gives_way)
    report(who, "gave way");
}

void ch_no_yield_split(struct ch_branch *to) {
  if (block.site)
    report(to, "waited");
}
