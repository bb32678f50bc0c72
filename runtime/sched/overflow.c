/* Reports the overflow of a native stack. See overflow.h. */
#define _GNU_SOURCE
#include "sched/schedule.h"
#include "sched/overflow.h"
#include "activity/activity.h"
#include "frames/runtime_calls.h"
#include "frames/interposed.h"
#include "frames/spares.h"
#include "report/place.h"
#include "report/runtime_code.h"
#include "report/symbols.h"
#include "sched/external_wakers.h"
#include "sched/native.h"
#include "sched/stack.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

uint64_t ch_overflow_of_frames;

#define ALTERNATE ((size_t)64 << 10)
/* How far below a stack's end the first access may be, because a large local is not touched from its upper end. */
#define REACH ((uintptr_t)1 << 20)

static __thread void *alternate; /* NULL: the program has set one, or there is none */
/* The end of the thread's own stack. 0 in the main thread, where the limit of the stack can change. */
static __thread uintptr_t home_low;

/* ---- the report: with write(2) alone, and another process for the lines ---- */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  char line[768];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (n > 0 && ch_runtime_write(2, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
    return;
}

static void say_place(const char *before, const struct ch_place *p, const char *after) {
  const char *slash = strrchr(p->module, '/');
  char line[256];
  bool known = p->module[0] && ch_place_line(p->module, p->offset, line, sizeof line);
  say("charcoal:   %s%s%s%s%s%s+0x%lx%s%s\n", before, p->function, p->function[0] ? " (" : "", known ? line : "",
      known ? ", " : "", slash ? slash + 1 : "an unknown module", (unsigned long)p->offset, p->function[0] ? ")" : "",
      after);
}

/* Finds the return address that stands most often near the top of the stack, and how often it does. The runtime's own
 * calls leave their return addresses on stacks, too, and do not recurse. */
static uintptr_t most_frequent(const uintptr_t *top, const uintptr_t *bottom, const struct ch_place *code,
                               unsigned long *times) {
  uintptr_t seen[32], best = 0;
  unsigned n = 0;
  *times = 0;
  for (const uintptr_t *at = top; at < bottom && at < top + 4096 && n < 32; at++) {
    if (*at < code->begin || *at >= code->end)
      continue;
    bool known = false;
    for (unsigned i = 0; i < n; i++)
      known |= seen[i] == *at;
    if (known)
      continue;
    seen[n++] = *at;
    if (ch_is_runtime_code(*at - 1))
      continue;
    unsigned long found = 0;
    for (const uintptr_t *other = at; other < bottom; other++)
      found += *other == *at;
    if (found > *times) {
      *times = found;
      best = *at;
    }
  }
  return best;
}

#define MANY 1000

static void say_where(uintptr_t pc, uintptr_t sp, const char *bottom) {
  struct ch_place place, again, stack;
  if (!ch_place_of((void *)pc, &place))
    return;
  say_place("in ", &place, "");
  unsigned long times;
  if (!ch_place_of(bottom - 1, &stack))
    return;
  /* A large local may reach beyond the end of the stack, and then sp does. */
  uintptr_t top = sp > stack.begin ? (sp + 7) & ~(uintptr_t)7 : stack.begin;
  uintptr_t address = most_frequent((const uintptr_t *)top, (const uintptr_t *)bottom, &place, &times);
  if (times >= MANY && ch_place_of((void *)(address - 1), &again)) {
    char text[96];
    snprintf(text, sizeof text, " made the same call %lu times over: is its recursion endless?", times);
    say_place("", &again, text);
  }
}

static void say_frames(const struct ch_branch *b) {
  unsigned shown = 0;
  for (struct ch_frame *f = b->top; f && !ch_is_chain_end(f); f = f->parent) {
    if (shown++ == 8) {
      say("charcoal:   ...\n");
      return;
    }
    const struct ch_frame_info *info = f->info;
    uint32_t line = info->lines && f->point ? info->lines[f->point - 1] : 0;
    say(info->file && line ? "charcoal:   called by %s (%s:%u)\n" : "charcoal:   called by %s\n",
        info->name ? info->name : "a call that has not begun", info->file, line);
  }
}

static void report(uintptr_t pc, uintptr_t sp, const char *bottom) {
  struct ch_branch *b = ch_domain.current;
  struct ch_branch *activity = b ? ch_activity_of(b) : NULL;
  const char *name = activity ? ch_branch_name(activity) : NULL;
  if (!name)
    name = activity && activity->flags & CH_MAIN ? "main" : NULL;
  say("charcoal: stack overflow in %s%s%s", activity ? "activity " : "the scheduler", name ? "\"" : "",
      name ? name : "");
  if (name)
    say("\"");
  else if (activity)
    say("%p", (void *)activity);
  if (ch_overflow_of_frames)
    say(": the frames of its callers, which wait, take %lu kB, many times what a stack may\n",
        (unsigned long)(ch_overflow_of_frames >> 10));
  else
    say(": all of its %lu kB are in use\n", (unsigned long)(bottom - (char *)sp) >> 10);
  if (!ch_overflow_of_frames)
    say_where(pc, sp, bottom);
  if (b)
    say_frames(b);
  say("charcoal: end the recursion earlier, or make the stack larger (ulimit -s, before the program starts)\n");
}

/* ---- the handler ---- */

uint64_t ch_overflow_stack_size(void) {
  if (home_low)
    return (uintptr_t)ch_domain.main_stack->high - home_low;
  struct rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY ? 0 : limit.rlim_cur;
}

/* The end of the stack on which the domain's code runs; 0: not known. In the main thread the true end is higher,
 * because the program's arguments count. */
static uintptr_t end_of_stack(void) {
  const struct ch_stack *s = ch_domain.stack;
  if (s != ch_domain.main_stack)
    return (uintptr_t)s->low;
  uint64_t size = ch_overflow_stack_size();
  return size ? (uintptr_t)s->high - size : 0;
}

static bool is_overflow(uintptr_t address, uintptr_t sp) {
  if (!ch_domain.stack || !ch_domain.error)
    return false;
  uintptr_t end = end_of_stack(), slack = ch_domain.stack == ch_domain.main_stack && !home_low ? 3 * REACH : 4096;
  return end && address + REACH >= end && address < end + slack && address + 65536 >= sp && sp + REACH >= end &&
         sp < end + slack + REACH;
}

static void on_fault(int number, siginfo_t *info, void *context) {
  int error = errno;
#ifdef __x86_64__
  uintptr_t sp = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
  uintptr_t pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  uintptr_t sp = ((ucontext_t *)context)->uc_mcontext.sp, pc = ((ucontext_t *)context)->uc_mcontext.pc;
#else
  uintptr_t sp = (uintptr_t)info->si_addr, pc = 0;
#endif
  if (info->si_code > 0 && is_overflow((uintptr_t)info->si_addr, sp))
    report(pc, sp, ch_domain.stack->high);
  /* The fault comes again after the return, and ends the program as without this handler. A signal that was sent has to
   * be sent again. */
  ch_schedule_failed();
  signal(number, SIG_DFL);
  if (info->si_code <= 0)
    raise(number);
  errno = error;
}

/* The system call, because the function of that name is the one below. */
static int set_alternate(const stack_t *wanted, stack_t *old) { return (int)syscall(SYS_sigaltstack, wanted, old); }

/* The C library's function, which does not show the runtime's stack. Who wants to have no alternate stack gets that one
 * back. Only the kernel reads what is wanted, because the address may be wrong. */
__attribute__((weak, visibility("default"))) int sigaltstack(const stack_t *wanted, stack_t *old) {
  int r = set_alternate(wanted, old);
  if (r < 0 || !alternate)
    return r;
  if (old && old->ss_sp == alternate)
    *old = (stack_t){.ss_flags = SS_DISABLE};
  const stack_t ours = {.ss_sp = alternate, .ss_size = ALTERNATE};
  stack_t is;
  if (wanted && set_alternate(NULL, &is) == 0 && is.ss_flags & SS_DISABLE)
    set_alternate(&ours, NULL);
  return r;
}

static void install(void) {
  struct sigaction is, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  ch_add_runtime_handler((void (*)(int))(void *)on_fault);
  if (sigaction(SIGSEGV, NULL, &is) == 0 && !(is.sa_flags & SA_SIGINFO) && is.sa_handler == SIG_DFL)
    sigaction(SIGSEGV, &ours, NULL);
}

static struct ch_spares spare_stacks;
static void give_back(void *memory) {
  if (!ch_spare_keep(&spare_stacks, memory))
    munmap(memory, ALTERNATE);
}

void ch_overflow_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, install);
  pthread_attr_t attributes;
  void *low;
  size_t size;
  if (getpid() != gettid() && pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &low, &size) == 0)
      home_low = (uintptr_t)low;
    pthread_attr_destroy(&attributes);
  }
  stack_t is;
  if (set_alternate(NULL, &is) || !(is.ss_flags & SS_DISABLE))
    return;
  void *memory = ch_spare_take(&spare_stacks);
  if (!memory)
    memory = mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return;
  is = (stack_t){.ss_sp = memory, .ss_size = ALTERNATE};
  if (set_alternate(&is, NULL) == 0)
    alternate = memory;
  else
    give_back(memory);
}

void ch_overflow_end(void) {
  stack_t is;
  if (!alternate || set_alternate(NULL, &is) || is.ss_sp != alternate)
    return; /* the program has set another one, and may set this one again later */
  is.ss_flags = SS_DISABLE;
  if (set_alternate(&is, NULL) == 0)
    give_back(alternate);
  alternate = NULL;
}
