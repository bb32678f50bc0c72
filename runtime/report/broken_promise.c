/* Ends the program when code waits that states that it does not. See broken_promise.h. */
#include "report/broken_promise.h"
#include "charcoal.h"
#include "charcoal_promises.h"
#include "report/about.h"
#include "report/dump.h"
#include "report/runtime_code.h"
#include "report/place.h"
#include "report/symbols.h"
#include "sched/native.h"
#include "sched/no_yield.h"
#include "sched/schedule.h"
#include <stdio.h>
#include <unistd.h>

/* In plain code: the innermost function that is not the runtime's. */
static bool native_place(const struct ch_branch *b, char *text, size_t room) {
  void *pcs[CH_NATIVE_FRAMES];
  unsigned n = ch_dump_native(b, pcs);
  for (unsigned i = 0; i < n; i++) {
    struct ch_place place;
    if (ch_is_runtime_code((uintptr_t)pcs[i] - 1) || !ch_place_of((char *)pcs[i] - 1, &place) || !place.function[0])
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

CH_COLD static _Noreturn void broken(void) {
  fflush(NULL);
  ch_schedule_failed();
  _exit(CH_EXIT_MISUSE);
}

CH_COLD static _Noreturn void report(const struct ch_branch *b, const char *did) {
  char place[512];
  place_of_wait(b, place, sizeof place);
  fprintf(stderr,
          "charcoal: an activity was set aside inside the assert_no_yield at %s: it %s at %s; do that before the block "
          "or after it, or take the block away if other activities may run meanwhile\n",
          ch_no_yield_block.site, did, place);
  broken();
}

void ch_no_yield_run_ends(int status) {
  struct ch_branch *who = ch_no_yield_block.who ? ch_no_yield_block.who : ch_domain.host;
  if (!ch_no_yield_block.site)
    return;
  /* Below setjmp the stack is also left at a yield point. That does not count, because the branch does not wait. */
  bool paused = status == CH_PAUSED || status == CH_YIELDED || (status == CH_MOVED && who && who->state == CH_READY);
  if (status == CH_DONE)
    ch_no_yield_drop();
  else if (!paused)
    report(who, "waited");
  else if (status == CH_YIELDED || ch_domain.gives_way)
    report(who, "gave way");
}

void ch_no_yield_split(struct ch_branch *to) {
  if (ch_no_yield_block.site)
    report(to, "waited");
}

/* ---- functions that never wait ---- */

void ch_never_waits_is_checked(void);
void ch_never_waits_is_checked(void) { __atomic_or_fetch(&ch_watched, CH_WATCH_NEVER_WAITS, __ATOMIC_RELAXED); }

CH_COLD static _Noreturn void report_function(const struct ch_branch *b, const struct ch_frame_info *info) {
  char place[512];
  place_of_wait(b, place, sizeof place);
  fprintf(stderr,
          "charcoal: '%s' is declared 'ch_never_waits', and it waited at %s; let its caller wait, or take the "
          "declaration away\n",
          info->name, place);
  broken();
}

static __thread
    __attribute__((tls_model("initial-exec"))) struct ch_branch *running; /* NULL: no branch runs, or it is not known */

void ch_never_waits_run_begins(struct ch_branch *b) { running = b; }

void ch_never_waits_run_ends(int status) {
  struct ch_branch *b = running;
  running = NULL;
  /* Below setjmp the stack is also left at a yield point, where the branch does not wait. */
  if (b && (status == CH_BLOCKED || (status == CH_MOVED && b->state != CH_READY)))
    ch_never_waits_split(b);
}

void ch_never_waits_split(struct ch_branch *b) {
  for (struct ch_frame *f = b->top; f && !ch_is_chain_end(f); f = f->parent)
    if (f->info->flags & CH_FRAME_NEVER_WAITS)
      report_function(b, f->info);
}
