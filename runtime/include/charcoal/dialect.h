/* The dialect: what the compiler and this header agree on, and what the words of the dialect mean without charcoal-cc.
 *
 * Under charcoal-cc, the front end turns the statements into calls of the functions that are declared below; they are
 * not part of the API. The declaration of __charcoal_dialect turns the dialect on.
 *
 * Under any other C compiler, the words disappear: `activate` and `async` run their bodies where they stand, and
 * nothing is ever cancelled (law 11). Macros cannot remove `[&handle]`, `(i, j)` and the name after `cancel`; programs
 * that want to be compiled both ways write
 *
 *   activate ch_handle(&handle) ch_copy(i, j) { ... }     for     activate [&handle] (i, j) { ... }
 *   async ch_copy(i, j) { ... }                           for     async (i, j) { ... }
 *   ch_cancel(name);                                      for     cancel name;
 *   atomic ch_policy(error) { ... }                       for     atomic error { ... }
 *
 * which means the same to charcoal-cc. Elsewhere ch_copy needs __typeof__ (gcc, clang) or C23, and takes up to 8 names.
 * There, `return` in such a body returns from the function; under charcoal-cc it ends the activity.
 */
#ifndef CHARCOAL_DIALECT_H
#define CHARCOAL_DIALECT_H

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <charcoal/blocking.h>

#if defined(__cplusplus) || defined(__OBJC__)
/* No dialect, and no macros: their names are ordinary ones there. */
#elif defined(__CHARCOAL__)

#define __CHARCOAL_DIALECT__ 1
struct ch_activity;
#define CH_MARKER __attribute__((__nothrow__))
CH_MARKER void __charcoal_dialect(void);
CH_MARKER void __charcoal_spawn(unsigned __uid, struct ch_activity *__handle, unsigned __flags, const char *__site);
CH_MARKER void __charcoal_body(unsigned __uid);
CH_MARKER void __charcoal_value(const volatile void *__variable, __SIZE_TYPE__ __size);
CH_MARKER void __charcoal_offload(void);
CH_MARKER void __charcoal_atomic_enter(void);
CH_MARKER void __charcoal_atomic_leave(int *__unused);
CH_MARKER void __charcoal_yield(void);
CH_MARKER __attribute__((__leaf__)) unsigned __charcoal_policy(unsigned __policy) __asm__("ch_atomic_policy");
static __inline__ __attribute__((__always_inline__)) void __charcoal_policy_leave(const unsigned *__before) {
  (void)__charcoal_policy(*__before);
}

CH_MARKER __attribute__((__leaf__)) const char *__charcoal_no_yield(const char *__site) __asm__("ch_no_yield");
static __inline__ __attribute__((__always_inline__)) void __charcoal_no_yield_leave(const char *const *__before) {
  (void)__charcoal_no_yield(*__before);
}

/* struct ch_scope, struct ch_deadline and their functions, as in the ABI: with names that no program has. */
struct __charcoal_scope {
  void *__opaque[16];
};
struct __charcoal_deadline {
  void *__opaque[12];
};
CH_MARKER void __charcoal_async(unsigned __uid, struct __charcoal_scope *__scope);
CH_MARKER void __charcoal_scope_enter(struct __charcoal_scope *__scope, unsigned __flags,
                                      const char *__site) __asm__("ch_scope_enter");
CH_MARKER void __charcoal_scope_deadline(struct __charcoal_scope *__scope, struct __charcoal_deadline *__timer,
                                         long long __when) __asm__("ch_scope_deadline");
CH_MARKER void __charcoal_scope_leave(struct __charcoal_scope *__scope) __asm__("ch_scope_leave");
CH_MARKER void __charcoal_scope_cancel(struct __charcoal_scope *__scope) __asm__("ch_scope_cancel");
CH_MARKER __attribute__((__leaf__)) long long __charcoal_now(void) __asm__("ch_now");
/* The time meant by `within (duration)` and by `by (time)`. */
static __inline__ __attribute__((__always_inline__)) long long __charcoal_after(long long __duration) {
  long long __when;
  return __builtin_add_overflow(__charcoal_now(), __duration, &__when) ? __LONG_LONG_MAX__ : __when;
}
static __inline__ __attribute__((__always_inline__)) long long __charcoal_at(long long __time) { return __time; }

/* struct ch_wait and its functions (charcoal/clause.h). Those that never wait are not yield points. */
struct __charcoal_wait {
  void *__opaque[24];
};
enum { __charcoal_wait_none = -2 }; /* -ENOENT */
#define CH_LEAF_MARKER CH_MARKER __attribute__((__leaf__))
CH_LEAF_MARKER void __charcoal_wait_enter(struct __charcoal_wait *__wait, unsigned __flags,
                                          const char *__site) __asm__("ch_wait_enter");
CH_LEAF_MARKER void __charcoal_wait_add(struct __charcoal_wait *__wait, void *__clause,
                                        unsigned __index) __asm__("ch_wait_add");
CH_MARKER int __charcoal_wait_any(struct __charcoal_wait *__wait) __asm__("ch_wait_any");
CH_LEAF_MARKER int __charcoal_wait_try(struct __charcoal_wait *__wait) __asm__("ch_wait_try");
CH_LEAF_MARKER int __charcoal_wait_may_begin(void) __asm__("ch_wait_may_begin");
CH_LEAF_MARKER _Bool __charcoal_clause_try(void *__clause) __asm__("ch_clause_try");
struct __charcoal_wait_node {
  unsigned __above, __left;
};
CH_LEAF_MARKER void __charcoal_wait_begin_all(struct __charcoal_wait *__wait, struct __charcoal_wait_node *__nodes,
                                              unsigned __n, const char *__condition) __asm__("ch_wait_begin_all");
CH_LEAF_MARKER int __charcoal_wait_try_all(struct __charcoal_wait *__wait, struct __charcoal_wait_node *__nodes,
                                           unsigned __n, const char *__condition) __asm__("ch_wait_try_all");
CH_LEAF_MARKER void __charcoal_wait_complete(struct __charcoal_wait *__wait, struct __charcoal_wait_node *__nodes,
                                             unsigned __index) __asm__("ch_wait_complete");
CH_MARKER int __charcoal_wait_next(struct __charcoal_wait *__wait) __asm__("ch_wait_next");
CH_LEAF_MARKER void __charcoal_wait_leave(struct __charcoal_wait *__wait) __asm__("ch_wait_leave");
CH_LEAF_MARKER long __charcoal_clause_result(void *__clause) __asm__("ch_clause_result");
CH_LEAF_MARKER void __charcoal_clause_leave(void **__clause) __asm__("ch_clause_leave");
#undef CH_LEAF_MARKER
#undef CH_MARKER

#define ch_cancel(name) cancel name
#define ch_handle(h) [h]
#define ch_copy(...) (__VA_ARGS__)
#define ch_policy(policy) policy

#else

#include <string.h>

#define activate
#define atomic
#define contained
#define assert_no_yield
#define ch_policy(policy)
#define yield ((void)0)
#define async
#define finish while (0)
#define noncancellable
#define cancel ((void)0)
#define ch_cancel(name)                                                                                                \
  do { /* a use of the label, and no more */                                                                           \
    if (0)                                                                                                             \
      goto name;                                                                                                       \
  } while (0)
#define within(t) CH_EVALUATE(t)
#define by(t) CH_EVALUATE(t)

#define CH_EVALUATE(e)                                                                                                 \
  if ((void)(e), 0)                                                                                                    \
    ;                                                                                                                  \
  else
#define ch_handle(h) CH_EVALUATE(ch_sequential_names(h))
/* Each name gets a copy of its own around the body, by a loop that runs once. */
#define ch_copy(...)                                                                                                   \
  CH_COPY_PICK(__VA_ARGS__, CH_COPY8, CH_COPY7, CH_COPY6, CH_COPY5, CH_COPY4, CH_COPY3, CH_COPY2,                      \
               CH_COPY1, )(__VA_ARGS__)
#define CH_COPY_PICK(a, b, c, d, e, f, g, h, n, ...) n
#if defined(__clang__) && __clang_major__ >= 16
#define CH_COPY_TYPE __typeof_unqual__ /* it warns about constants without an initializer */
#else
#define CH_COPY_TYPE __typeof__
#endif
#if defined(__GNUC__)
#define CH_COPY_ALIGN(v) __attribute__((__aligned__(__alignof__(v))))
#else
#define CH_COPY_ALIGN(v)
#endif
#define CH_COPY1(v)                                                                                                    \
  for (__typeof__(v) *ch_from = &(v), *ch_once = ch_from; ch_once;)                                                    \
    for (CH_COPY_ALIGN(v) CH_COPY_TYPE(*ch_from) v; ch_once && memcpy((void *)&v, (const void *)ch_from, sizeof v);    \
         ch_once = NULL)
#define CH_COPY2(v, ...) CH_COPY1(v) CH_COPY1(__VA_ARGS__)
#define CH_COPY3(v, ...) CH_COPY1(v) CH_COPY2(__VA_ARGS__)
#define CH_COPY4(v, ...) CH_COPY1(v) CH_COPY3(__VA_ARGS__)
#define CH_COPY5(v, ...) CH_COPY1(v) CH_COPY4(__VA_ARGS__)
#define CH_COPY6(v, ...) CH_COPY1(v) CH_COPY5(__VA_ARGS__)
#define CH_COPY7(v, ...) CH_COPY1(v) CH_COPY6(__VA_ARGS__)
#define CH_COPY8(v, ...) CH_COPY1(v) CH_COPY7(__VA_ARGS__)

#endif

#endif
