/* What is done once: the function of pthread_once, and the making of a local static variable of C++ (Itanium C++ ABI,
 * section 3.3.3). Other threads look at the same words by the functions of the C and the C++ library, so the words have
 * those libraries' values. */
#define _GNU_SOURCE
#include "posix/futex.h"
#include "frames/interposed.h"
#include "posix/locks/others.h"
#include "posix/locks/queue.h"
#include "posix/single_activity.h"
#include "sched/tsan.h"
#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How the word of an object says what has been done. */
struct kind {
  int (*begin)(void *); /* 0: it is done; 1: it is the caller's to do; -1: it is being done */
  bool (*is_being_done)(void *, struct ch_word *); /* with the word that changes when that ends */
  void (*end)(void *, bool done);
};

/* Those that activities of this domain do. */
struct running {
  struct running *next;
  const struct kind *kind;
  void *object;
  struct ch_branch *by;
};
static __thread struct running *runs;

static struct running **running(const void *object) {
  struct running **at = &runs;
  while (*at && (*at)->object != object)
    at = &(*at)->next;
  return at;
}

static void note(const struct kind *kind, void *object, struct ch_branch *by) {
  struct running *r = malloc(sizeof *r);
  if (r) {
    *r = (struct running){runs, kind, object, by};
    runs = r;
  }
}
static struct ch_branch *holder(const void *object, const void **place) {
  struct running *r = *running(object);
  *place = NULL;
  return r ? r->by : NULL;
}

/* ---- local static variables: the first byte of a guard says that the variable has been made, and is all that compiled
 * code looks at. The rest is as in libstdc++, or as in ThreadSanitizer ---- */

enum { MADE = 1 };
static uint32_t being_made(void) { return ch_tsan_watches() ? 0x10000 : 0x100; }
static uint32_t awaited(void) { return ch_tsan_watches() ? 0x20000 : 0x10000; }

static int begin_variable(void *guard) {
  uint32_t is = 0;
  bool mine =
      __atomic_compare_exchange_n((uint32_t *)guard, &is, being_made(), false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
  ch_tsan_acquire(guard);
  return mine ? 1 : is & MADE ? 0 : -1;
}

static bool is_being_made(void *guard, struct ch_word *word) {
  uint32_t is = __atomic_load_n((uint32_t *)guard, __ATOMIC_ACQUIRE);
  while (is & being_made()) {
    *word = (struct ch_word){.word = guard, .value = is | awaited(), .shared = !ch_tsan_watches()};
    if (is & awaited() ||
        __atomic_compare_exchange_n((uint32_t *)guard, &is, is | awaited(), false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
      return true;
  }
  return false;
}

static void end_variable(void *guard, bool done) {
  if (__atomic_exchange_n((uint32_t *)guard, done ? MADE : 0, __ATOMIC_ACQ_REL) & awaited())
    ch_futex_wake(guard, INT_MAX, !ch_tsan_watches());
}

static const struct kind of_variable = {begin_variable, is_being_made, end_variable};

/* ---- pthread_once: 0 before the function runs; while it runs, 4 times the number of forks that led to this process,
 * plus 1; then 2. ThreadSanitizer does it as it makes a local static variable ---- */

enum { RUNS = 1, HAS_RUN = 2, STATES = 3 };

static __thread const pthread_once_t *asked;
static __thread int forks;
static void look_at_forks(void) { forks = *asked & ~STATES; }
static void count_forks(void) {
  pthread_once_t of_now = PTHREAD_ONCE_INIT;
  asked = &of_now;
  ch_library_once(&of_now, look_at_forks);
}

static int begin_once(void *once) {
  if (ch_tsan_watches())
    return begin_variable(once);
  int is = __atomic_load_n((int *)once, __ATOMIC_ACQUIRE);
  if (is & HAS_RUN)
    return 0;
  count_forks();
  for (;;) {
    if (is & HAS_RUN)
      return 0;
    if (is == (forks | RUNS))
      return -1; /* a function that ran before a fork does not run any more */
    if (__atomic_compare_exchange_n((int *)once, &is, forks | RUNS, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
      return 1;
  }
}

static bool is_running(void *once, struct ch_word *word) {
  if (ch_tsan_watches())
    return is_being_made(once, word);
  int is = __atomic_load_n((int *)once, __ATOMIC_ACQUIRE);
  if ((is & STATES) != RUNS)
    return false;
  count_forks();
  *word = (struct ch_word){.word = once, .value = (uint32_t)is};
  return is == (forks | RUNS);
}

static void end_once(void *once, bool done) {
  if (ch_tsan_watches())
    return end_variable(once, done);
  __atomic_store_n((int *)once, done ? HAS_RUN : 0, __ATOMIC_RELEASE);
  ch_futex_wake(once, INT_MAX, false);
}

static const struct kind of_once = {begin_once, is_running, end_once};

/* ---- waiting while it is being done ---- */

struct type {
  struct ch_lock_type type;
  struct ch_leaf leaf;
  const struct kind *kind;
};
static const struct kind *kind_of(const struct ch_lock_type *type) { return ((const struct type *)type)->kind; }

static bool take(struct ch_lock_wait *w) {
  const struct kind *kind = kind_of(ch_lock_type_of(w));
  int r = kind->begin(w->clause.object);
  if (r < 0)
    return false;
  if (r > 0)
    note(kind, w->clause.object, ch_activity_of(w->clause.branch));
  w->result = r;
  return true;
}

static enum ch_await await(struct ch_queue *q, struct ch_word *word) {
  if (!kind_of(q->type)->is_being_done(q->object, word))
    return CH_AWAIT_FREE;
  return *running(q->object) ? CH_AWAIT_HERE : CH_AWAIT_WORD;
}

#define TYPE(name, how_to_take, of)                                                                                    \
  {.type =                                                                                                             \
       {.clause = {.what = name, .enlist = ch_queue_enlist, .withdraw = ch_queue_withdraw, .cancel = ch_queue_refuse}, \
        .take = how_to_take,                                                                                           \
        .await = await,                                                                                                \
        .holder = holder},                                                                                             \
   .leaf = CH_LOCK_LEAF(name),                                                                                         \
   .kind = of}
static const struct type once_type = TYPE("pthread_once", take, &of_once);
static const struct type variable_type = TYPE("a local static variable", take, &of_variable);

static bool must_wait(struct ch_lock_wait *w, const struct type *type, void *object, int *result) {
  *result = type->kind->begin(object);
  if (*result > 0)
    note(type->kind, object, ch_activity_of(ch_domain.current));
  if (*result < 0)
    *w = (struct ch_lock_wait){.clause = {.type = &type->type.clause, .object = object}};
  return *result < 0;
}

static inline struct ch_int_result take_int(const struct type *type, void *object) {
  struct ch_lock_wait w;
  int result;
  return must_wait(&w, type, object, &result) ? ch_lock_wait_int(&type->leaf, &w) : ch_done(result);
}
static inline int take_plainly(const struct type *type, void *object) {
  struct ch_lock_wait w;
  int result;
  return must_wait(&w, type, object, &result) ? ch_lock_wait(&w) : result;
}

struct ch_int_result ch_once_take_int(pthread_once_t *) CH_INT_NAME(ch_once_take);
struct ch_int_result ch_once_take_int(pthread_once_t *once) { return take_int(&once_type, once); }
int ch_once_take(pthread_once_t *once) { return take_plainly(&once_type, once); }

struct ch_int_result ch_variable_take_int(uint64_t *) CH_INT_NAME(ch_variable_take);
struct ch_int_result ch_variable_take_int(uint64_t *guard) { return take_int(&variable_type, guard); }
int ch_variable_take(uint64_t *guard) { return take_plainly(&variable_type, guard); }

/* ---- in plain code ---- */

/* Only waits until the function runs no more. */
static bool pass(struct ch_lock_wait *w) {
  struct ch_word unused;
  return !is_running(w->clause.object, &unused);
}
static const struct type passing_type = TYPE("pthread_once", pass, &of_once);

/* The C++ library's std::call_once hands its function to the one that pthread_once runs, by two variables of the
 * thread, and clears them when its call ends. While one activity waits another may do so. */
struct handed_over {
  void **at[2], *is[2];
};
extern __typeof__(dlsym) dlsym __attribute__((weak)); /* a static program may lack it */
static struct handed_over what_is_handed_over(void) {
  struct handed_over all = {0};
  if (dlsym) {
    all.at[0] = dlsym(RTLD_DEFAULT, "_ZSt15__once_callable");
    all.at[1] = dlsym(RTLD_DEFAULT, "_ZSt11__once_call");
  }
  for (unsigned i = 0; i < 2; i++)
    all.is[i] = all.at[i] ? *all.at[i] : NULL;
  return all;
}
static void hand_over_again(const struct handed_over *all) {
  for (unsigned i = 0; i < 2; i++)
    if (all->at[i])
      *all->at[i] = all->is[i];
}

/* Before the C library's own, which waits with the thread: an activity of this domain may be what runs the function. It
 * is still the C library that runs it for plain code, because the function may throw a C++ exception. */
static int once_plainly(pthread_once_t *once, void (*init)(void)) {
  struct ch_word unused;
  while (ch_domain.current && is_running(once, &unused) &&
         (*running(once) || ch_domain.live > 1 || !ch_is_single_activity())) {
    struct ch_lock_wait w = {.clause = {.type = &passing_type.type.clause, .object = once}};
    const struct handed_over all = what_is_handed_over();
    ch_lock_wait(&w);
    hand_over_again(&all);
  }
  return ch_library_once(once, init);
}
CH_INTERPOSED int pthread_once(pthread_once_t *once, void (*init)(void)) { return once_plainly(once, init); }
CH_INTERPOSED void call_once(once_flag *once, void (*init)(void)) { once_plainly((pthread_once_t *)once, init); }

/* A thread without activities waits in the kernel. */
CH_INTERPOSED int __cxa_guard_acquire(uint64_t *guard) {
  struct ch_word word;
  int result;
  if (ch_domain.current)
    return ch_variable_take(guard);
  while ((result = begin_variable(guard)) < 0)
    if (is_being_made(guard, &word))
      syscall(SYS_futex, guard, FUTEX_WAIT, word.value, NULL);
  return result;
}

/* ---- its end ---- */

static void end(const struct kind *kind, void *object, bool done) {
  struct running **at = running(object), *noted = *at;
  if (noted) {
    *at = noted->next;
    free(noted);
  }
  ch_tsan_release(object);
  kind->end(object, done);
  struct ch_queue *q = ch_queue_of(object);
  if (q)
    ch_queue_serve(q);
}

/* What makes a thread's variables may use them. It may also have begun before the thread had activities, and then is
 * not noted. */
int ch_thread_variables_begin(uint64_t *guard) {
  struct ch_branch *me = ch_domain.current ? ch_activity_of(ch_domain.current) : NULL;
  int result = begin_variable(guard);
  if (result > 0 && me)
    note(&of_variable, guard, me);
  if (result >= 0)
    return result;
  struct running *r = *running(guard);
  return me && r && r->by != me ? ch_variable_take(guard) : 0;
}
void ch_thread_variables_end(uint64_t *guard) { end(&of_variable, guard, true); }

void ch_once_end(pthread_once_t *once) { end(&of_once, once, true); }
void ch_variable_end(uint64_t *guard, int made) { end(&of_variable, guard, made); }
CH_INTERPOSED void __cxa_guard_release(uint64_t *guard) { end(&of_variable, guard, true); }
CH_INTERPOSED void __cxa_guard_abort(uint64_t *guard) { end(&of_variable, guard, false); }

/* POSIX: then it is as if the call had never been made. */
void ch_onces_left(struct ch_branch *by) {
  for (struct running **at = &runs; *at;)
    if ((*at)->by == by) {
      end((*at)->kind, (*at)->object, false);
      at = &runs;
    } else {
      at = &(*at)->next;
    }
}
