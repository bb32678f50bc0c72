/* A branch: a call chain that blocks on its own, and the activity around it.
 *
 * Every activity embeds its first branch and today has no other, so that a block of memory for an anonymous activity is
 * a branch followed by its captured variables, 40 bytes and theirs. A *long* one (it has a handle, or is contained) has
 * a prefix in front.
 *
 * The saved call chain hangs on `top`, innermost first. The outermost frame's `parent` is not a frame: it is this
 * branch with bit 0 set (ch_chain_end), so that each frame of a parked chain leads to the branch that it belongs to.
 *
 * State, exactly one of:
 *   NEW        queued, body not begun. top: the body's code; link.prev: the spawn site
 *   READY      queued, to be resumed. link.next: next in the queue; link.prev: the result to hand over
 *   RUNNING    on the native stack. top: the saved frames that it will return to, or the chain's end
 *   WAITING    waits on one object; `link` is on that object's list
 *   SELECTING  waits over several clauses; link.prev: the first of them
 * Flags, in any combination with each other and with every state unless said:
 *   LONG       has a prefix;  MAIN: ends the program when it ends;  NAMED: stands in the table of names
 *   NATIVE     with WAITING, SELECTING, READY: waits on the native stack, in plain code. READY then means
 *              not queued, but to return as soon as the native stack above it is gone
 *   FAR        its captured variables begin at 48 instead of 40 bytes (see ch_branch_record)
 */
#ifndef CHARCOAL_ACTIVITY_BRANCH_H
#define CHARCOAL_ACTIVITY_BRANCH_H

#include "charcoal.h"
#include "frames/allocator.h"

enum ch_branch_state { CH_NEW = 1, CH_READY, CH_RUNNING, CH_WAITING, CH_SELECTING };
enum { CH_LONG = 1, CH_MAIN = 2, CH_NAMED = 4, CH_NATIVE = 8, CH_FAR = 16 };
/* What a WAITING branch waits on: for reports. */
enum ch_what { CH_ON_SEMAPHORE, CH_ON_ACTIVITY };

struct ch_scope;
struct ch_group;

struct ch_branch {
  struct ch_scope *scope; /* innermost finish scope; NULL: the implicit one around the body. Always even */
  void *top;              /* see the states */
  struct ch_link link;    /* see the states */
  int32_t error;          /* errno, while not RUNNING */
  uint8_t state;
  uint8_t flags;
  uint8_t what;  /* enum ch_what, while WAITING */
  uint8_t klass; /* class of its memory; CH_CLASS_LARGE: none */
};
#define CH_CLASS_LARGE 255

struct ch_prefix {
  ch_activity *handle;    /* NULL: none, or detached */
  struct ch_group *group; /* contained in this group; never NULL */
};

static inline struct ch_prefix *ch_branch_prefix(struct ch_branch *b) { return (struct ch_prefix *)b - 1; }

#define CH_NEAR_RECORD 40u
#define CH_FAR_RECORD 48u
_Static_assert(sizeof(struct ch_branch) == CH_NEAR_RECORD,
               "a minimal parked activity is 40 bytes, its record and a frame");
/* Captured variables that may want 16-byte alignment begin at a multiple of 16. Blocks are 8-aligned, of 16 when their
 * size is a multiple of 16: so the size is rounded, too. */
static inline void *ch_branch_record(struct ch_branch *b) { return (char *)b + (b->flags & CH_FAR ? 48 : 40); }

static inline struct ch_frame *ch_chain_end(struct ch_branch *b) { return (struct ch_frame *)((uintptr_t)b | 1); }
static inline bool ch_is_chain_end(const void *frame) { return (uintptr_t)frame & 1; }

#endif
