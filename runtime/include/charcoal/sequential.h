/* The functions of charcoal.h without charcoal-cc: `activate` runs its body at once and to its end, so there is only
 * one activity. A call that would wait for ever, because nobody else can run, ends the program with status
 * CH_EXIT_DEADLOCK. If the program is also linked with the runtime, it ends with a message before main. charcoal.h
 * includes this header; it is for any compiler of C99 or later, or of C++. */
#ifndef CHARCOAL_SEQUENTIAL_H
#define CHARCOAL_SEQUENTIAL_H

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct ch_stats {
  uint64_t activities, spawned, peak, switches, frames, frame_bytes, activity_bytes, mapped_bytes, branches;
};

#if defined(__GNUC__)
#define CH_SEQUENTIAL CH_INLINE __attribute__((unused))
#else
#define CH_SEQUENTIAL CH_INLINE
#endif

#ifdef CLOCK_MONOTONIC
#define CH_TIMESPEC struct timespec
#define CH_CLOCK(t) clock_gettime(CLOCK_MONOTONIC, t)
#define CH_NANOSLEEP nanosleep
#else /* -std=c99 and the like hide what POSIX adds */
#define CH_TIMESPEC struct ch_timespec
#define CH_CLOCK(t) ch_clock_gettime(1, t)
#define CH_NANOSLEEP ch_nanosleep
struct ch_timespec {
  time_t tv_sec;
  long tv_nsec;
};
extern int ch_clock_gettime(int, struct ch_timespec *) __asm__("clock_gettime");
extern int ch_nanosleep(const struct ch_timespec *, struct ch_timespec *) __asm__("nanosleep");
#endif

/* These meanings and those of the library do not go together in one program. */
#if defined(__GNUC__)
#ifdef __cplusplus
extern "C" {
#endif
extern int ch_main(void *, int, char **, char **) __attribute__((weak));
#ifdef __cplusplus
}
#endif
static __attribute__((constructor, unused)) void ch_sequential_check(void) {
  if (ch_main) {
    fprintf(
        stderr,
        "charcoal: %s was compiled without charcoal-cc, so that all of <charcoal.h> has its sequential meaning there, "
        "but it is linked with Charcoal's runtime; compile it with charcoal-cc, or with -DCHARCOAL_LIBRARY to call "
        "the runtime from plain code\n",
        __BASE_FILE__);
    exit(CH_EXIT_MISUSE);
  }
}
#endif

CH_SEQUENTIAL int ch_activity_wait(ch_activity *a) { return (void)a, 0; }
CH_SEQUENTIAL int ch_activity_detach(ch_activity *a) { return (void)a, 0; }
CH_SEQUENTIAL int ch_activity_finished(const ch_activity *a) { return (void)a, 1; }
CH_SEQUENTIAL ch_activity *ch_self(void) { return NULL; }
CH_SEQUENTIAL int ch_activity_cancel(ch_activity *a) { return (void)a, 0; }
CH_SEQUENTIAL int ch_cancelled(void) { return 0; }
/* The handle that was named last, and the errors that are collected now. */
#if defined(__GNUC__)
static ch_activity *ch_sequential_handle __attribute__((unused));
static ch_errors *ch_sequential_errors __attribute__((unused));
#else
static ch_activity *ch_sequential_handle;
static ch_errors *ch_sequential_errors;
#endif
CH_SEQUENTIAL void ch_sequential_names(ch_activity *a) {
  ch_sequential_handle = a;
  if (a)
    a->failure = 0, a->result = 0;
}
CH_SEQUENTIAL int ch_activity_set_result(intptr_t value) {
  return ch_sequential_handle ? (ch_sequential_handle->result = value, 0) : EPERM;
}
CH_SEQUENTIAL intptr_t ch_activity_result(const ch_activity *a) { return a->result; }
CH_SEQUENTIAL int ch_activity_error(const ch_activity *a) { return a->failure; }
CH_SEQUENTIAL ch_scope *ch_scope_here(void) { return NULL; }
CH_SEQUENTIAL ch_activity *ch_in(ch_scope *s) { return (void)s, (ch_activity *)0; }
CH_SEQUENTIAL void ch_scope_cancel(ch_scope *s) { (void)s; }
CH_SEQUENTIAL int64_t ch_deadline(const ch_scope *s) { return (void)s, CH_FOREVER; }
CH_SEQUENTIAL int ch_deadline_move(ch_scope *s, int64_t when) { return (void)s, (void)when, 0; }
CH_SEQUENTIAL int ch_collect(ch_errors *errors) {
  errors->count = 0;
  errors->first = 0;
  return ch_sequential_errors = errors, 0;
}
CH_SEQUENTIAL int ch_fail_at(int error, const char *place) {
  ch_errors *to = ch_sequential_errors;
  if (error && to) {
    if (to->count < to->room) {
      to->all[to->count].error = error;
      to->all[to->count].place = place;
    }
    if (to->count++ == 0)
      to->first = error;
  } else if (error && ch_sequential_handle) {
    ch_sequential_handle->failure = error;
  }
  return error;
}
CH_SEQUENTIAL int ch_domain_start(ch_thread *t, void (*fn)(void *), void *argument) { return (void)t, fn(argument), 0; }
CH_SEQUENTIAL int ch_domain_join(ch_thread *t) { return (void)t, 0; }
CH_SEQUENTIAL int ch_domain_enter(void) { return 0; }
CH_SEQUENTIAL int ch_domain_leave(void) { return 0; }
CH_SEQUENTIAL int ch_set_name(const char *name) { return (void)name, 0; }
CH_SEQUENTIAL const char *ch_name(void) { return NULL; }
CH_SEQUENTIAL void ch_reschedule(void) {}

CH_SEQUENTIAL void ch_sem_init(ch_sem *s, unsigned long count) {
  s->waiters.next = s->waiters.prev = NULL;
  s->count = count;
}
CH_SEQUENTIAL int ch_sem_trywait(ch_sem *s) { return s->count ? (s->count--, 0) : EAGAIN; }
CH_SEQUENTIAL int ch_sem_wait(ch_sem *s) {
  if (ch_sem_trywait(s) == 0)
    return 0;
  fprintf(stderr,
          "charcoal: deadlock: a semaphore of count 0 is waited for in a sequential program, where nobody else can "
          "post it; post it before, or compile with charcoal-cc\n");
  exit(CH_EXIT_DEADLOCK);
}
CH_SEQUENTIAL int ch_sem_post(ch_sem *s) { return s->count == LONG_MAX ? EOVERFLOW : (s->count++, 0); }
CH_SEQUENTIAL int ch_sem_post_from_handler(ch_sem *s) { return ch_sem_post(s); }
CH_SEQUENTIAL int ch_sem_destroy(ch_sem *s) { return (void)(s->count = 0), 0; }

CH_SEQUENTIAL int64_t ch_now(void) {
  CH_TIMESPEC t;
  CH_CLOCK(&t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}
CH_SEQUENTIAL int ch_sleep(int64_t duration) {
  CH_TIMESPEC t;
  if (duration <= 0)
    return 0;
  t.tv_sec = (time_t)(duration / 1000000000);
  t.tv_nsec = (long)(duration % 1000000000);
  while (CH_NANOSLEEP(&t, &t) < 0 && errno == EINTR) {
  }
  return 0;
}
CH_SEQUENTIAL int ch_sem_timedwait(ch_sem *s, int64_t timeout) {
  if (ch_sem_trywait(s) == 0)
    return 0;
  if (timeout == CH_FOREVER)
    return ch_sem_wait(s);
  ch_sleep(timeout);
  return ETIMEDOUT;
}
CH_SEQUENTIAL int ch_fd_wait(int fd, int events, int64_t timeout) {
  struct pollfd p;
  int64_t ms = timeout == CH_FOREVER ? -1 : timeout <= 0 ? 0 : (timeout - 1) / 1000000 + 1;
  int n;
  p.fd = fd;
  p.events = (short)events;
  do
    n = poll(&p, 1, ms > INT_MAX ? INT_MAX : (int)ms);
  while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : n == 0 ? 0 : p.revents & POLLNVAL ? -EBADF : p.revents;
}
CH_SEQUENTIAL int ch_dns_servers(const char *servers) { return (void)servers, 0; }
CH_SEQUENTIAL void ch_stats(struct ch_stats *s) {
  static const struct ch_stats one = {1, 1, 1, 1, 0, 0, 0, 0, 0};
  *s = one;
}
CH_SEQUENTIAL void ch_dump(int fd) { (void)fd; }
static int ch_checks __attribute__((unused));

#endif
