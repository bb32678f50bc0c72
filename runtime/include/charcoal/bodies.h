/* The statements of the dialect as functions that take their body: for languages without the dialect. C++ has
 * charcoal.hpp, which hands lambdas to them. What charcoal.h says about all functions holds here, too.
 *
 * A body is called as body(argument). What the argument points to is the caller's, and stays until the body has
 * returned. A body in interruptible code is interruptible.
 *
 * Threads: any thread; one without a domain gets one. */
#ifndef CHARCOAL_BODIES_H
#define CHARCOAL_BODIES_H

#include <charcoal.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

/* Starts an activity, as the statement `activate` does: the body is called when the scheduler comes to it. The handle
 * may be NULL, or what ch_in returns. Never blocks.
 * Source: Charcoal paper, section 2. */
void ch_activate_body(ch_activity *handle, void (*body)(void *), void *argument);

/* Calls the body inside `atomic { … }`, so that no other activity runs meanwhile. Never blocks, unless the body does.
 * Source: Charcoal paper, section 2. */
void ch_atomic_body(void (*body)(void *), void *argument);

/* Calls the body inside `do { … } finish;`. Waits until all that was spawned into this scope (ch_scope_here, in the
 * body) has ended.
 * Cancel: does not end the wait, but cancels what is waited for.
 * Source: AC paper, section 2. */
void ch_finish_body(void (*body)(void *), void *argument);

/* Does the same inside `within (duration) do { … } finish;`: the scope is cancelled when its time is over. The duration
 * is in nanoseconds. Waits as ch_finish_body does. */
void ch_within_body(int64_t duration, void (*body)(void *), void *argument);

/* Calls the body inside `noncancellable { … }`: a cancel from around it has no effect there. Never blocks, unless the
 * body does. */
void ch_noncancellable_body(void (*body)(void *), void *argument);

#else

/* Sequential meanings: the body runs where it stands. */
CH_INLINE void ch_activate_body(ch_activity *handle, void (*body)(void *), void *argument) {
  ch_sequential_names(handle);
  body(argument);
}
CH_INLINE void ch_atomic_body(void (*body)(void *), void *argument) { body(argument); }
CH_INLINE void ch_finish_body(void (*body)(void *), void *argument) { body(argument); }
CH_INLINE void ch_within_body(int64_t duration, void (*body)(void *), void *argument) {
  (void)duration, body(argument);
}
CH_INLINE void ch_noncancellable_body(void (*body)(void *), void *argument) { body(argument); }

#endif

#ifdef __cplusplus
}
#endif

#endif
