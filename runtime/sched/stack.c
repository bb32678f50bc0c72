/* Makes native stacks and switches between them. See stack.h. */
#define _GNU_SOURCE
#include "sched/stack.h"
#include "sched/check.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) 0
#define VALGRIND_STACK_DEREGISTER(number) ((void)(number))
#endif

/* ---- who has to be told ---- */

#define WEAK __attribute__((weak))
extern WEAK void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
extern WEAK void __sanitizer_finish_switch_fiber(void *fake, const void **old_bottom, size_t *old_size);
extern WEAK void __asan_unpoison_memory_region(const volatile void *begin, size_t size);
extern WEAK void *__tsan_get_current_fiber(void);
extern WEAK void *__tsan_create_fiber(unsigned flags);
extern WEAK void __tsan_destroy_fiber(void *fiber);
extern WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
extern WEAK __typeof__(dlopen) dlopen;
extern WEAK __typeof__(dlsym) dlsym;

typedef int swap_function(ucontext_t *, const ucontext_t *);
static swap_function *swap;

/* AddressSanitizer interposes a function for swapcontext, which reports that it does not support fibers. But the calls
 * above tell it of them, so the C library's own function is called. */
static void find_swap(void) {
  void *library =
      __sanitizer_start_switch_fiber && dlopen && dlsym ? dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) : NULL;
  swap_function *found = library ? (swap_function *)dlsym(library, "swapcontext") : NULL;
  __atomic_store_n(&swap, found ? found : swapcontext, __ATOMIC_RELAXED);
}

bool ch_stack_may_go(void) { return !__sanitizer_start_switch_fiber; }

/* ---- memory ---- */

#define SMALL ((size_t)256 << 10)
#define USUAL ((size_t)8 << 20)
#define LARGEST ((size_t)1 << 30)

/* A stack is as large as the thread's own, because the same code is going to run on it. */
static size_t wanted_size(void) {
  pthread_attr_t attributes;
  size_t size = 0;
  struct rlimit limit;
  if (getpid() == gettid()) {
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      size = limit.rlim_cur;
  } else if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
  }
  return size == 0 ? USUAL : size < SMALL ? SMALL : size > LARGEST ? LARGEST : size;
}

static char *map(size_t size) {
  char *memory =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* Lies at the upper end of the stack's memory; that of the thread's own stack lies elsewhere. */
struct made {
  struct ch_stack stack;
  ucontext_t context; /* where code on this stack begins */
};

struct ch_stack *ch_stack_of_thread(void *bottom) {
  struct made *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  made->stack.high = bottom;
  return &made->stack;
}

char *ch_stack_last_quarter(struct ch_stack *s) {
  return s->nearly_full = s->memory ? s->low + (s->high - s->low) / 4 : s->high - wanted_size() / 4 * 3;
}

ucontext_t *ch_stack_beginning(struct ch_stack *s) { return &((struct made *)s)->context; }

struct ch_stack *ch_stack_make(void (*enter)(void)) {
  static __thread size_t size;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped;
  if (size == 0)
    size = (wanted_size() + page - 1) & ~(page - 1);
  char *memory = map(mapped = size + page);
  if (!memory && size > SMALL) /* a small stack is better than none */
    memory = map(mapped = SMALL + page);
  if (!memory)
    return NULL;
  if (mprotect(memory, page, PROT_NONE)) {
    int error = errno;
    munmap(memory, mapped);
    errno = error;
    return NULL;
  }
  struct made *made = (struct made *)((uintptr_t)(memory + mapped - sizeof *made) & ~(uintptr_t)63);
  struct ch_stack *s = &made->stack;
  *s = (struct ch_stack){.low = memory + page, .high = (char *)s, .memory = memory, .mapped = mapped};
  s->in_use = s->high;
  s->asan_bottom = s->low;
  s->asan_size = (size_t)(s->high - s->low);
  s->valgrind = VALGRIND_STACK_REGISTER(s->low, s->high);
  if (__tsan_create_fiber)
    s->fiber = __tsan_create_fiber(0);
  if (!__atomic_load_n(&swap, __ATOMIC_RELAXED))
    find_swap();
  getcontext(&made->context);
  made->context.uc_stack = (stack_t){.ss_sp = s->low, .ss_size = (size_t)(s->high - s->low)};
  made->context.uc_link = NULL;
  makecontext(&made->context, enter, 0);
  s->context = &made->context;
  return s;
}

/* The activations that were set aside on the stack, up to `end`, never go on, so they do not clear their red zones. If
 * none was, the context is the one in which the stack begins, and that is not on the stack. */
static void forget_red_zones(const struct ch_stack *s, const char *end) {
  const char *low = s->asan_bottom, *begin = s->context;
  if (__asan_unpoison_memory_region && low <= begin && begin < end && end <= low + s->asan_size)
    __asan_unpoison_memory_region(begin, (size_t)(end - begin));
}

void ch_stack_give_up(struct ch_stack *s) {
  forget_red_zones(s, s->high);
  s->context = ch_stack_beginning(s);
  s->in_use = s->high;
  s->fake = NULL;
}

void ch_stack_free(struct ch_stack *s) {
  VALGRIND_STACK_DEREGISTER(s->valgrind);
  if (__tsan_destroy_fiber)
    __tsan_destroy_fiber(s->fiber);
  munmap(s->memory, s->mapped);
}

/* ---- the switch ---- */

static __thread struct ch_stack *left; /* the stack that the switch under way has left */

static void arrived(void *fake) {
  if (!__sanitizer_finish_switch_fiber)
    return;
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(fake, &bottom, &size);
  if (!left->asan_bottom) {
    left->asan_bottom = bottom;
    left->asan_size = size;
  }
}

void ch_stack_entered(void) { arrived(NULL); }

void ch_stack_jumped(struct ch_stack *from, struct ch_stack *to, const char *in_use) {
  forget_red_zones(to, in_use);
  left = from;
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(NULL, to->asan_bottom, to->asan_size);
  if (__tsan_switch_to_fiber)
    __tsan_switch_to_fiber(to->fiber, 0);
  arrived(to->fake);
}

void ch_stack_switch(struct ch_stack *from, struct ch_stack *to) {
  from->in_use = __builtin_frame_address(0);
  left = from;
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&from->fake, to->asan_bottom, to->asan_size);
  if (__tsan_switch_to_fiber) {
    from->fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->fiber, 0);
  }
  ucontext_t here;
  from->context = &here;
  pthread_sigmask(SIG_SETMASK, NULL, &((ucontext_t *)to->context)->uc_sigmask);
  swap(&here, to->context);
  arrived(from->fake);
}
