/* The branches of an activity beside its first, from the async call that blocked until the branch ends.
 *
 * A branch comes into being by split(), which is called when a part of the running branch's chain is to wait on its
 * own. The frames in that part, the wait that has just been registered and the scopes that were opened in the part then
 * belong to the new branch. The rest stays with the old branch, which goes on. */
#include "activity/scope.h"
#include "frames/captures.h"
#include "frames/out_of_memory.h"
#include "report/watch.h"
#include "sched/host.h"
#include "sched/native.h"
#include "sched/open_blocks.h"
#include "wait/wait.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the turn of an activity ---- */

void ch_enqueue_first_in(struct ch_group *g, struct ch_branch *b) {
  b->link.next = (struct ch_link *)g->head;
  if (!g->head)
    g->tail = b;
  g->head = b;
}
void ch_enqueue_first(struct ch_branch *b) { ch_enqueue_first_in(ch_group_of(b), b); }

/* The activity keeps its turn and goes on with b; or it queues again if its slice is over. */
static CH_RARE struct ch_branch *lose_turn(struct ch_branch *b) {
  ch_enqueue(b);
  return NULL;
}
static inline struct ch_branch *keep_turn(struct ch_branch *b) {
  CH_INVARIANT(b->state == CH_READY, "what gets a turn is ready");
  return CH_LIKELY(!ch_tls.slice_over) ? b : lose_turn(b);
}

static inline struct ch_branch *rests(struct ch_finish *root) {
  CH_INVARIANT(root->active, "an activity rests after it was active");
  ch_scope_check(root);
  struct ch_branch *next = root->head;
  if (!next) {
    root->active = false;
    return NULL;
  }
  root->head = (struct ch_branch *)next->link.next;
  return keep_turn(next);
}
struct ch_branch *ch_activity_rests(struct ch_finish *root) { return rests(root); }

static void collect(struct ch_finish *root, struct ch_branch *b) {
  b->link.next = NULL;
  if (root->head)
    root->tail->link.next = (struct ch_link *)b;
  else
    root->head = b;
  root->tail = b;
}

struct ch_branch *ch_activity_gives_way(struct ch_branch *b) {
  struct ch_finish *root = b->scope->root;
  CH_INVARIANT(root->active, "what runs is active");
  collect(root, b);
  struct ch_branch *first = root->head;
  root->head = (struct ch_branch *)first->link.next;
  return first;
}

/* False: its activity rests, or has no scopes. */
static inline bool collect_if_active(struct ch_branch *b) {
  if (!b->scope || !b->scope->root->active)
    return false;
  collect(b->scope->root, b);
  return true;
}

CH_RARE static void ready_at_rest(struct ch_branch *b) {
  if ((b->flags & CH_NATIVE && ch_native_ready(b)) || collect_if_active(b))
    return;
  if (b->scope)
    b->scope->root->active = true;
  ch_enqueue(b);
}

void ch_ready_specially(struct ch_branch *b) {
  if (CH_UNLIKELY(b->flags & CH_NATIVE) || !collect_if_active(b))
    CH_JUMP_TO ready_at_rest(b);
}

void ch_ready_first(struct ch_branch *b) {
  if (CH_UNLIKELY(b->flags & CH_NATIVE) && ch_native_ready(b))
    return;
  struct ch_finish *root = b->scope ? b->scope->root : NULL;
  if (root && root->active) {
    b->link.next = (struct ch_link *)root->head;
    if (!root->head)
      root->tail = b;
    root->head = b;
    return;
  }
  if (root)
    root->active = true;
  ch_enqueue_first(b);
}

/* ---- birth ---- */

#define CLASS ((unsigned)(sizeof(struct ch_async) / CH_ACTIVITY_STEP))
_Static_assert(sizeof(struct ch_async) % CH_ACTIVITY_STEP == 0, "the size of a class");

CH_COLD static struct ch_async *take_slow(void) {
  struct ch_async *a = ch_block_take(CH_KIND_ASYNC, CLASS, sizeof *a, 16);
  if (CH_UNLIKELY(!a))
    ch_out_of_memory("an async branch");
  return a;
}

/* b has just been registered for a wait. The part of its chain that waits begins at b->top and ends at *end, which may
 * be b->top itself. This part is moved to a. */
static inline __attribute__((always_inline)) void split(struct ch_async *a, struct ch_branch *b, void **end) {
  struct ch_branch *nb = &a->branch;
  *end = ch_chain_end(nb);
  nb->top = b->top;
  nb->error = *ch_domain.error;
  nb->flags = CH_ASYNC;
  ch_wait_move(b, nb);
  if (CH_UNLIKELY(ch_watched))
    ch_watch_split(b, nb);
  nb->scope = b->scope;
  ch_domain.branches++;
}

/* The branch that was split off b belongs to this scope, and owns the scopes that are open inside. */
static inline void settle(struct ch_async *a, struct ch_branch *b, struct ch_finish *scope) {
  a->scope = scope;
  ch_list_is_initialised(&scope->branches);
  ch_list_append(&scope->branches, &a->siblings, false);
  for (struct ch_finish *s = b->scope; s != scope; s = s->outer) {
    CH_INVARIANT(s && s->owner == b, "the scopes between a branch's innermost and an async's are its own");
    s->owner = &a->branch;
  }
  b->scope = scope;
}

/* A branch that has given way to a sibling is ready as soon as it has been set aside. */
CH_COLD static void wake_yielded(void) {
  while (!ch_list_empty(&ch_domain.yielded))
    ch_fire(ch_domain.yielded.next, 0);
}

static inline __attribute__((always_inline)) void become_branch(struct ch_async *a, struct ch_scope *scope) {
  struct ch_domain *d = &ch_domain;
  struct ch_branch *b = d->current;
  CH_INVARIANT(b && (b->state == CH_WAITING || b->state == CH_SELECTING), "who becomes a branch has just blocked");
  split(a, b, (void **)ch_tls.link);
  settle(a, b, ch_scope_of_async(scope));
  b->top = d->parent;
  b->state = CH_READY;
  ch_tls.link = &b->frame;
  if (CH_UNLIKELY(d->open_blocks != NULL))
    ch_blocks_split(b, &a->branch);
  if (CH_UNLIKELY(d->cancellable != 0))
    ch_host_runs(b);
  if (CH_UNLIKELY(a->branch.what == CH_ON_TURN)) /* it may be: `what` is kept from an earlier wait */
    wake_yielded();
}
CH_COLD static void become_branch_slow(struct ch_scope *scope) { become_branch(take_slow(), scope); }

void ch_async_branch(struct ch_scope *scope) {
  struct ch_async *a = ch_block_take_if_free(CH_KIND_ASYNC, CLASS);
  if (CH_UNLIKELY(!a))
    CH_JUMP_TO become_branch_slow(scope);
  become_branch(a, scope);
}

/* ---- calls that were set aside at a yield point before they blocked ---- */

void ch_async_pause(void) {
  CH_INVARIANT(ch_domain.current && ch_is_running(ch_domain.current), "who gives way runs");
  ch_domain.current->flags |= CH_PENDING;
}

/* Whether the frame still has to go on after an `async` statement. */
static bool is_due(const struct ch_frame *f) { return f->point >= 1 && f->point <= f->info->asyncs; }

/* Splits b at its innermost frame that is due, and lets that frame go on. It will tell the new branch its scope; until
 * then the new branch is on the domain's list `unscoped`, and its `parent` is b. */
CH_COLD static struct ch_branch *continue_pending(struct ch_branch *b) {
  struct ch_frame **at = &b->frame;
  while (!ch_is_chain_end(*at) && !is_due(*at))
    at = &(*at)->parent;
  struct ch_frame *due = *at;
  if (ch_is_chain_end(due)) {
    b->flags &= (uint8_t)~CH_PENDING;
    return ch_activity_rests(b->scope->root);
  }
  struct ch_async *a = take_slow();
  split(a, b, (void **)at);
  a->parent = b;
  ch_list_append(&ch_domain.unscoped, &a->siblings, false);
  b->top = due;
  b->state = CH_READY;
  b->link.prev = NULL;
  if (CH_UNLIKELY(ch_domain.open_blocks != NULL))
    ch_blocks_split(b, &a->branch);
  return keep_turn(b);
}

void ch_async_resumed(struct ch_scope *scope) {
  struct ch_link *unscoped = &ch_domain.unscoped;
  struct ch_branch *b = ch_domain.current;
  if (CH_LIKELY(ch_list_empty(unscoped)))
    return;
  for (struct ch_link *n = unscoped->next; n != unscoped; n = n->next)
    if (ch_async_at(n)->parent == b) {
      ch_list_remove(n);
      settle(ch_async_at(n), b, ch_scope_of_async(scope));
      return;
    }
}

struct ch_branch *ch_branch_blocked(struct ch_branch *b) {
  if (CH_UNLIKELY(ch_domain.turn_passed)) {
    ch_domain.turn_passed = 0;
    return NULL;
  }
  struct ch_branch *next = CH_UNLIKELY(b->flags & CH_PENDING) ? continue_pending(b) : ch_activity_rests(b->scope->root);
  if (CH_UNLIKELY(!ch_list_empty(&ch_domain.yielded)))
    wake_yielded();
  return next;
}

/* ---- end ---- */

/* The last branch of a scope whose owner waits at its end has ended. */
__attribute__((noinline)) static struct ch_branch *go_on_behind(struct ch_finish *s) {
  struct ch_finish *root = s->root;
  struct ch_branch *owner = s->owner;
  ch_scope_close(s);
  if (CH_UNLIKELY(s->implicit))
    ch_scope_free_implicit(s);
  owner->state = CH_READY;
  owner->link.prev = NULL;
  if (!owner->scope) /* the activity has no other branch than its first one */
    return owner == ch_domain.waits_in_place ? NULL : keep_turn(owner);
  if (owner != ch_domain.waits_in_place)
    collect(root, owner);
  return rests(root);
}

struct ch_branch *ch_async_end(struct ch_branch *b) {
  struct ch_async *a = ch_async_of(b);
  struct ch_finish *s = a->scope;
  CH_INVARIANT(b->scope == s, "a branch has left its own scopes when it ends");
  ch_list_remove_plain(&a->siblings);
  ch_domain.branches--;
  if (CH_UNLIKELY(ch_watched))
    ch_watch_branch_ends(b);
  ch_block_give(CH_KIND_ASYNC, CLASS, a);
  if (CH_UNLIKELY(s->leaving && ch_scope_is_over(s)))
    return go_on_behind(s);
  return rests(s->root);
}
