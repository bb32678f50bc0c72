/* Exceptions of C++ in interruptible code. Between functions an exception is a status, CH_THROWN: each function that
 * has no handler returns it to its caller. A caller that has been set aside is resumed at the point of the call, with
 * CH_POINT_THROWN, and throws the exception there anew, so that the unwinder finds the handler or the cleanup.
 * Functions of C return the status as if they were suspended, so that their memory can be freed.
 *
 * What the C++ library knows of the exceptions that are being handled belongs to the branch, like errno.
 *
 * Invariant: while a call ends by an exception it stands in ch_tls.entry, because nothing is entered meanwhile. */
#ifndef CHARCOAL_SCHED_THROW_H
#define CHARCOAL_SCHED_THROW_H

#include "sched/domain.h"

/* What a C++ runtime knows about the exceptions that are being handled: a pointer and a number for each thread. */
struct ch_exceptions {
  void *caught;
  unsigned uncaught;
};
/* NULL: no C++ library is linked, and the next two do nothing. */
extern __attribute__((weak)) struct ch_exceptions *__cxa_get_globals(void);
/* Returns what the C++ library knows and makes it forget. */
CH_HIDDEN struct ch_exceptions ch_exceptions_take(void);
CH_HIDDEN void ch_exceptions_give(struct ch_exceptions);

static inline bool ch_exceptions_are_handled(void) {
  return CH_UNLIKELY(__cxa_get_globals != NULL) && (__cxa_get_globals()->caught || __cxa_get_globals()->uncaught);
}

/* The branch is being set aside, and its frames have been saved. */
CH_HIDDEN CH_RARE void ch_exceptions_set_aside(struct ch_branch *);

/* An exception has arrived at the loop: b goes on with it where its innermost activation is that can handle it. If
 * there is none, the program ends as for any exception that nobody catches. */
CH_HIDDEN CH_RARE struct ch_branch *ch_throw_on(struct ch_branch *b);

#endif
