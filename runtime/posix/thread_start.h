/* Threads that recompiled code starts. Each runs its start routine as the first activity of a domain of its own. The
 * domain ends with the thread, after all activities in it have ended. An activity that is alone in its domain makes the
 * plain calls (single_activity.h), so a thread that has no other activities costs no more than a domain's memory. */
#ifndef CHARCOAL_POSIX_THREAD_START_H
#define CHARCOAL_POSIX_THREAD_START_H

#include "frames/attributes.h"
#include <pthread.h>
#include <threads.h>

CH_HIDDEN int ch_pthread_create(pthread_t *, const pthread_attr_t *, void *(*start)(void *), void *argument);
CH_HIDDEN int ch_thrd_create(thrd_t *, thrd_start_t start, void *argument);

#endif
