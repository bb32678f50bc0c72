/* A branch: a call chain that blocks on its own, and the activity around it.
 *
 * Every activity embeds its first branch, so that a block of memory for an anonymous activity is a branch followed by
 * its captured variables, 40 bytes and theirs. A *long* one (it has a handle, or is contained) has a prefix in front.
 * Further branches come from `async` calls that blocked: struct ch_async, in memory of their own (async.c).
 *
 * Nothing but the list on which `link` stands, or the clauses that link.prev leads to, may point at a blocked branch:
 * an async call hands its wait to a new branch by changing these alone (ch_wait_move).
 *
 * The saved call chain hangs on `top`, innermost first. The outermost frame's `parent` is not a frame: it is this
 * branch with bit 0 set (ch_chain_end), so that each frame of a parked chain leads to the branch that it belongs to.
 *
 * State, exactly one of:
 *   NEW        queued, body not begun. top: the body's code; link.prev: the spawn site
 *   READY      queued, to be resumed. link.next: next in the queue; link.prev: the result to hand over.
 *              The domain's `current` is READY, too: it runs, on the native stack. top: the saved frames that it will
 *              return to, or the chain's end
 *   WAITING    waits on one object; `link` is on that object's list. On a finish (what: CH_ON_FINISH) it is on none:
 *              link.next is the scope. Nor is it on a list while it waits for its contained activities, or for all
 *              others (what: CH_ON_CONTAINED, CH_ON_OTHERS)
 *   SELECTING  waits over several clauses; link.prev: the first of them
 *
 * Flags, in any combination with each other and with every state unless said:
 *   LONG       has a prefix
 *   MAIN       the program's or the thread's first
 *   NAMED      stands in the table of names
 *   NATIVE     with WAITING, SELECTING, READY: waits on the native stack, in plain code, for which the innermost frame
 *              of its chain stands (sched/native.h)
 *   FAR        its captured variables begin at 48 instead of 40 bytes (see ch_branch_record)
 *   ASYNC      it is a struct ch_async's; excludes LONG, MAIN, NAMED, FAR and MARKED
 *   PENDING    a frame of its chain may have a continuation due after an async; may be set for longer than one is
 *   MARKED     the activity was cancelled; on its first branch
 */
#ifndef CHARCOAL_ACTIVITY_BRANCH_H
#define CHARCOAL_ACTIVITY_BRANCH_H

#include "charcoal.h"
#include "frames/allocator.h"

enum ch_branch_state { CH_NEW = 1, CH_READY, CH_WAITING, CH_SELECTING };
enum {
  CH_LONG = 1,
  CH_MAIN = 2,
  CH_NAMED = 4,
  CH_FAR = 8,
  CH_NATIVE = 16,
  CH_ASYNC = 32,
  CH_PENDING = 64,
  CH_MARKED = 128
};
/* What a WAITING branch waits on: for reports. Cancel ends the waits that stand
 * before CH_ON_FINISH, and not the others: for a finish, for its turn after a directed yield, for the activities that
 * it has spawned contained, for the end of all others. */
enum ch_what {
  CH_ON_SEMAPHORE,
  CH_ON_ACTIVITY,
  CH_ON_SEND,    /* sends to a local channel; its innermost frame holds a struct ch_operand (wait/wait.h) */
  CH_ON_RECEIVE, /* the same, but it receives */
  CH_ON_FINISH,
  CH_ON_TURN,
  CH_ON_CONTAINED,
  CH_ON_OTHERS
};

struct ch_finish;
struct ch_group;

struct ch_branch {
  struct ch_finish *scope; /* the innermost open scope; NULL: the implicit one around the body. Always even */
  union {
    void *top;              /* see the states */
    struct ch_frame *frame; /* the same where it is a frame: what is stored through ch_tls.link */
  };
  struct ch_link link; /* see the states */
  int32_t error;       /* errno, while it does not run */
  uint8_t state;
  uint8_t what; /* enum ch_what, while WAITING */
  uint8_t flags;
  uint8_t klass; /* the class of its memory; CH_LARGE_CLASS also in malloc mode. Not valid with ASYNC */
};

/* A branch that an async call has become. */
struct ch_async {
  struct ch_branch branch;
  union {
    struct ch_finish *scope;  /* the scope in which it was started */
    struct ch_branch *parent; /* while it has no scope: the branch that will say which scope it gets */
  };
  struct ch_link siblings; /* on the scope's list of branches, or the domain's of those without one */
};

struct ch_prefix {
  ch_activity *handle;    /* NULL: none, or detached */
  struct ch_group *group; /* contained in this group, or free in its block (sched/domain.h); never NULL */
};

static inline struct ch_prefix *ch_branch_prefix(struct ch_branch *b) { return (struct ch_prefix *)b - 1; }

#define CH_NEAR_RECORD 40u
#define CH_FAR_RECORD 48u
_Static_assert(sizeof(struct ch_branch) == CH_NEAR_RECORD,
               "a minimal parked activity is 40 bytes, its record and a frame");
_Static_assert(CH_NEAR_RECORD + CH_FAR == CH_FAR_RECORD, "the flag is the difference, so that it is only added");
/* Captured variables that may want 16-byte alignment begin at a multiple of 16. Blocks are 8-aligned, of 16 when their
 * size is a multiple of 16: so the size is rounded, too. */
static inline void *ch_branch_record(struct ch_branch *b) { return (char *)b + CH_NEAR_RECORD + (b->flags & CH_FAR); }

static inline struct ch_frame *ch_chain_end(struct ch_branch *b) { return (struct ch_frame *)((uintptr_t)b | 1); }
static inline bool ch_is_chain_end(const void *frame) { return (uintptr_t)frame & 1; }

#endif
