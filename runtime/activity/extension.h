/* The extension of a scope holds what only few scopes have, in memory of its own: the errors that the scope collects, a
 * deadline that it was given later, and its members. A member is an activity that was spawned into the scope by a
 * function which had the scope as an argument. Members are treated like the scope's branches: they are cancelled with
 * it, and it ends after them.
 *
 * Invariants: 1. a member is on the list of its scope from its spawning to its end; 2. the handle of a member is in the
 * member, and goes with it; 3. an extension lives until its scope is closed.
 */
#ifndef CHARCOAL_ACTIVITY_EXTENSION_H
#define CHARCOAL_ACTIVITY_EXTENSION_H

#include "activity/scope.h"

struct ch_member {
  ch_activity handle;
  struct ch_link link; /* on the scope's list, from the moment at which it is spawned */
  struct ch_finish *scope;
  struct ch_member *next; /* valid while it is on the list of those to be cancelled */
};

struct ch_extension {
  struct ch_link members;       /* the activities that were spawned into the scope, by ch_member.link */
  ch_errors *errors;            /* where failures are collected; NULL: the scope collects none */
  struct ch_deadline *deadline; /* memory for a deadline; NULL: it has not been needed yet */
  bool exits;                   /* a branch in it has called pthread_exit (sched/thread_exit.h) */
};

/* What ch_in returns: the place of a member's handle, with bit 0 set, so that the spawn knows it. */
static inline bool ch_is_member(const ch_activity *handle) { return (uintptr_t)handle & 1; }
static inline struct ch_member *ch_member_of(ch_activity *handle) {
  return (struct ch_member *)((uintptr_t)handle & ~(uintptr_t)1);
}
static inline ch_activity *ch_member_handle(struct ch_member *m) { return &m->handle; }
_Static_assert(offsetof(struct ch_member, handle) == 0, "a handle leads to its member");

/* It has been spawned. */
CH_HIDDEN void ch_member_begins(struct ch_member *);
/* It has ended; its scope perhaps with it. */
CH_HIDDEN void ch_member_ends(struct ch_member *);
/* There was no room for it: a failure of its scope, or the end of the program where nobody collects those. */
CH_HIDDEN void ch_member_never_ran(struct ch_member *, int error);
CH_HIDDEN void ch_members_cancel(struct ch_finish *);

/* Notes a failure where the scope collects them. */
CH_HIDDEN bool ch_scope_note(struct ch_finish *, int error, const char *place);
/* A branch in the scope has called pthread_exit, and ends. */
CH_HIDDEN void ch_scope_exits(struct ch_finish *);
/* The scope is being closed. If a branch in it has called pthread_exit, its owner does so when it is resumed; the
 * result is true if the owner runs, and has to do so at once. */
CH_HIDDEN bool ch_extension_end(struct ch_finish *);

#endif
