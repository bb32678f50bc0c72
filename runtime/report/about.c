/* Describes what a branch waits for. See about.h. */
#include "report/about.h"
#include "activity/activity.h"
#include "reactor/timer.h"
#include <string.h>

static const char *const whats[] = {
    [CH_ON_SEMAPHORE] = "semaphore",
    [CH_ON_ACTIVITY] = "activity",
    [CH_ON_SEND] = "sending to a channel",
    [CH_ON_RECEIVE] = "receiving from a channel",
    [CH_ON_FINISH] = "finish",
    [CH_ON_TURN] = "turn",
    [CH_ON_CONTAINED] = "contained activities",
    [CH_ON_OTHERS] = "all others",
};

/* The head of the list on which the branch stands alone. It is the only node that is no branch's and no clause's: to
 * tell them apart takes a look at each, from the branch to those that have waited longer, at most at `most` of them.
 * NULL: not known, as for a branch of another domain. */
static const struct ch_link *head_of(const struct ch_branch *b, unsigned most) {
  if (ch_heap_malloc || (b != ch_domain.host && !ch_heap_holds(b)))
    return NULL;
  const struct ch_link *n = &b->link;
  for (unsigned i = 0; i <= most; i++) {
    const struct ch_link *before = ch_link_prev(n);
    if (!before || before->next != n)
      return NULL;
    n = before;
    if (!ch_link_is_clause(n) && !ch_heap_holds((const char *)n - offsetof(struct ch_branch, link)))
      return n;
  }
  return NULL;
}

const void *ch_about_semaphore(const struct ch_branch *b) {
  bool waits = b->state == CH_WAITING && b->what == CH_ON_SEMAPHORE;
  const struct ch_link *head = waits ? head_of(b, 100000) : NULL;
  return head ? (const char *)head - offsetof(ch_sem, waiters) : NULL;
}

struct ch_branch *ch_about_activity(const struct ch_branch *b) {
  bool waits = b->state == CH_WAITING && b->what == CH_ON_ACTIVITY;
  const struct ch_link *head = waits ? head_of(b, 100) : NULL;
  return head ? ((const ch_activity *)((const char *)head - offsetof(ch_activity, waiters)))->branch : NULL;
}

/* NULL: a signal handler asks while the branch is about to wait. */
static const void *channel_of(const struct ch_branch *b) {
  const struct ch_frame *f = b->top;
  return !ch_is_chain_end(f) && f->info->resume == ch_operand_resume ? ch_operand_of(b)->object : NULL;
}

/* The next clause that reports name. A time limit that never comes is not worth a word beside something else. */
static const struct ch_clause *next_of(const struct ch_clause *c) {
  do
    c = c->next;
  while (c && c->type == &ch_never_clause_type);
  return c;
}

bool ch_about_wait(const struct ch_branch *b, unsigned n, struct ch_about *about) {
  *about = (struct ch_about){.fd = -1};
  if (b->state == CH_WAITING) {
    about->what = whats[b->what];
    if (b->what == CH_ON_FINISH)
      about->site = ((struct ch_finish *)b->link.next)->site;
    if (b->what == CH_ON_SEND || b->what == CH_ON_RECEIVE)
      about->object = channel_of(b);
    return n == 0;
  }
  const struct ch_clause *c = b->state == CH_SELECTING ? (const struct ch_clause *)b->link.prev : NULL;
  if (c && c->index == CH_ALONE && n > 0)
    return false;
  while (c && n-- > 0)
    c = next_of(c);
  if (!c)
    return false;
  about->what = c->type->what;
  about->clause = c;
  if (c->type->about)
    c->type->about(c, about);
  else if (strcmp(about->what, "descriptor") == 0)
    about->fd = (int)(intptr_t)c->object;
  else
    about->object = c->object;
  return true;
}

#define REPLACEMENTS "runtime/posix/replacements/"

static bool is_replacement(const struct ch_frame_info *info) {
  return info->file && strncmp(info->file, REPLACEMENTS, sizeof REPLACEMENTS - 1) == 0;
}

/* Those of the C library's function in which it waits stand above those of the program. */
const struct ch_frame *ch_about_top(const struct ch_frame *top) {
  const struct ch_frame *call = top;
  for (const struct ch_frame *f = top; f && !ch_is_chain_end(f) && (!f->info->file || is_replacement(f->info));
       f = f->parent)
    if (f->info->file)
      call = f;
  return call;
}

const char *ch_about_call(const struct ch_branch *b) {
  const struct ch_frame *f = b->state != CH_NEW && !ch_is_running(b) ? ch_about_top(b->top) : NULL;
  return f && !ch_is_chain_end(f) && is_replacement(f->info) ? f->info->name : NULL;
}

bool ch_about_frame(const struct ch_frame_info *info, uint32_t point, unsigned n, struct ch_spot *spot) {
  bool stands = point >= 1 && point <= info->points;
  const struct ch_inlined *inlined = info->inlined && stands && !is_replacement(info) ? info->inlined[point - 1] : NULL;
  for (; inlined; inlined = inlined->caller)
    if (n-- == 0) {
      *spot = (struct ch_spot){inlined->name, inlined->file, inlined->line};
      return true;
    }
  if (n > 0)
    return false;
  *spot = (struct ch_spot){.function = info->name                     ? info->name
                                       : info->flags & CH_FRAME_ENTRY ? "a call that has not begun"
                                                                      : NULL,
                           .file = info->file,
                           .line = info->lines && stands ? info->lines[point - 1] : 0};
  return true;
}
