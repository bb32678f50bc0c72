/* Threads that recompiled code starts: each runs its start routine as the first activity of a domain of its own, which
 * ends with the thread, after all activities in it have ended. Alone in its domain, an activity makes the plain calls
 * (single_activity.h), so a thread that uses nothing of this costs no more than a domain's memory. */
#ifndef CHARCOAL_POSIX_THREAD_START_H
#define CHARCOAL_POSIX_THREAD_START_H

#include "frames/attributes.h"
#include <pthread.h>
#include <threads.h>

CH_HIDDEN int ch_pthread_create(pthread_t *, const pthread_attr_t *, void *(*start)(void *), void *argument);
CH_HIDDEN int ch_thrd_create(thrd_t *, thrd_start_t start, void *argument);

#endif
