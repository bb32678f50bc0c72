/* Interruptible functions by hand, after abi/README.md, in the shape that charcoal-cc gives them. Read abi_by_hand.c
 * first.
 *
 *   FRAME_FUNCTION(name, { long i; })        an interruptible void(void *record) with these crossing values
 *   BEGIN(name) ... CALL(1, ch_sem_wait_int(&s)); ... END
 *
 * CALL(point, call) makes the call; if it doesn't finish, the activation is saved and the status returned; when it is
 * resumed, or if it finished at once, `value` holds the call's result. Values that cross a call live in `v`.
 */
#ifndef BY_HAND_H
#define BY_HAND_H

#include "harness.h"

struct ch_int_result ch_sem_wait_int(ch_sem *) CH_INT_NAME(ch_sem_wait);
struct ch_int_result ch_sem_timedwait_int(ch_sem *, int64_t) CH_INT_NAME(ch_sem_timedwait);
struct ch_int_result ch_activity_wait_int(ch_activity *) CH_INT_NAME(ch_activity_wait);
struct ch_int_result ch_sleep_int(int64_t) CH_INT_NAME(ch_sleep);
struct ch_int_result ch_fd_wait_int(int, int, int64_t) CH_INT_NAME(ch_fd_wait);
struct ch_int_result ch_reschedule_int(void) CH_INT_NAME(ch_reschedule);

/* The resume entry that the compiler emits for each function: enters it through its dispatch. */
int resume_by_hand(struct ch_frame *);

#define FRAME_FUNCTION(id, ...) ASYNC_FUNCTION(id, 0, __VA_ARGS__)
/* One whose first `n` resume points stand behind async calls. */
#define ASYNC_FUNCTION(id, n, ...)                                                                                     \
  struct id##_image {                                                                                                  \
    void *record;                                                                                                      \
    struct __VA_ARGS__;                                                                                                \
  };                                                                                                                   \
  static struct ch_int_result id(void *);                                                                              \
  static const uint32_t id##_lines[16] = {101, 102, 103, 104, 105, 106, 107, 108};                                     \
  static const struct ch_frame_info id##_info = {.resume = resume_by_hand,                                             \
                                                 .fn = (void *)id,                                                     \
                                                 .name = #id,                                                          \
                                                 .file = "hand.c",                                                     \
                                                 .lines = id##_lines,                                                  \
                                                 .points = 16,                                                         \
                                                 .asyncs = n,                                                          \
                                                 .size = CH_FRAME_HEADER + sizeof(struct id##_image),                  \
                                                 .image = sizeof(struct id##_image),                                   \
                                                 .align = 16};                                                         \
  static struct ch_int_result id(void *record)

#define BEGIN(name)                                                                                                    \
  struct name##_image v;                                                                                               \
  const struct ch_frame_info *info_ __attribute__((unused)) = &name##_info;                                            \
  uint32_t point_ = 0;                                                                                                 \
  long value __attribute__((unused)) = 0;                                                                              \
  v.record = record;                                                                                                   \
  if (ch_tls.attention && ch_tls.entering) {                                                                           \
    point_ = ch_restore(&v).point;                                                                                     \
    value = *(long *)ch_tls.result;                                                                                    \
  }                                                                                                                    \
  switch (point_) {                                                                                                    \
  case 0:

#define CALL(point, call)                                                                                              \
  do {                                                                                                                 \
    struct ch_int_result r_ = (call);                                                                                  \
    if ((int)r_.status)                                                                                                \
      return (struct ch_int_result){ch_suspend(info_, &v, CH_WHY(point, (uint32_t)r_.status)), 0};                     \
    value = r_.value;                                                                                                  \
  } while (0);                                                                                                         \
  case point:;

/* async call; in a function made with ASYNC_FUNCTION, at one of its first points */
#define ASYNC(point, scope, call)                                                                                      \
  do {                                                                                                                 \
    int status_ = (int)(call).status;                                                                                  \
    if (status_ == CH_BLOCKED) {                                                                                       \
      ch_async_branch(scope);                                                                                          \
    } else if (status_) {                                                                                              \
      ch_async_pause();                                                                                                \
      return (struct ch_int_result){ch_suspend(info_, &v, CH_WHY(point, (uint32_t)status_)), 0};                       \
    }                                                                                                                  \
  } while (0);                                                                                                         \
  if (0) {                                                                                                             \
  case point:                                                                                                          \
    ch_async_resumed(scope);                                                                                           \
  }
/* do { ... } finish; the scope lies where it stays */
#define ENTER(scope) ch_scope_enter(scope, 0, "hand.c:" #scope)
#define NONCANCELLABLE(scope) ch_scope_enter(scope, CH_SCOPE_BARRIER, "hand.c:" #scope)
#define LEAVE(point, scope) CALL(point, status_only(ch_scope_leave_int(scope)))
int ch_scope_leave_int(struct ch_scope *) CH_INT_NAME(ch_scope_leave);
static inline struct ch_int_result status_only(int status) { return (struct ch_int_result){status, 0}; }

#define RETURN(x)                                                                                                      \
  return (struct ch_int_result) { CH_DONE, (x) }
#define END                                                                                                            \
  }                                                                                                                    \
  RETURN(0);

/* activate [handle] name(record) */
#define SPAWN(handle, name, record, size) ch_spawn(handle, (void *)name, record, size, 0, #name)
#define SPAWN_CONTAINED(handle, name, record, size)                                                                    \
  ch_spawn(handle, (void *)name, record, size, CH_SPAWN_CONTAINED, #name)

/* atomic { ... } as generated code does it */
#define ATOMIC_ENTER() (ch_tls.atomic_depth++)
#define ATOMIC_LEAVE()                                                                                                 \
  do {                                                                                                                 \
    ch_tls.atomic_depth--;                                                                                             \
    if (ch_tls.atomic_pending)                                                                                         \
      ch_atomic_settle();                                                                                              \
  } while (0)

/* main by hand: BEGIN_MAIN(name, crossing values) */
#define MAIN_FUNCTION(name, ...) ASYNC_MAIN(name, 0, __VA_ARGS__)
#define ASYNC_MAIN(name, n, ...)                                                                                       \
  ASYNC_FUNCTION(name##_body, n, __VA_ARGS__);                                                                         \
  static struct ch_int_result name(int argc, char **argv, char **envp) {                                               \
    (void)argc, (void)argv, (void)envp;                                                                                \
    return name##_body(NULL);                                                                                          \
  }                                                                                                                    \
  static struct ch_int_result name##_body(void *record)

#endif
