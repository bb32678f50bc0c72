/* The inbox of a domain, and its wake-up: by an eventfd while it sleeps in its reactor, or by a signal if there is no
 * descriptor for one; and otherwise by its word. inbox.h has the invariant. */
#define _GNU_SOURCE
#include "reactor/inbox.h"
#include "charcoal.h"
#include "frames/runtime_calls.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/reactor.h"
#include "reactor/times.h"
#include "sched/external_wakers.h"
#include "sched/host.h"
#include "sched/interrupts.h"
#include "sched/tsan.h"
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ch_inbox {
  struct ch_mailbox box;
  int event;             /* the slot (runtime_descriptors.h) of an eventfd, made when it is needed; -1: there is none */
  bool listens;          /* the domain's reactor waits for `event`, which may be left from an earlier domain */
  bool handed_out;       /* other threads may post at any time */
  int signal;            /* what wakes it while there is no `event`; 0: nothing does */
  pid_t thread;          /* to which that signal is sent; valid if there is one */
  sigset_t mask;         /* of the sleep that it ends; valid if there is one. Only the domain's thread reads it */
  uint32_t forks;        /* of its process: see ch_inbox_is_gone */
  int64_t woken_at;      /* when a sender last began to wake it */
  int64_t wake_up_time;  /* ch_inbox_wake_up_time */
  struct ch_inbox *next; /* while it is in `kept` */
} __attribute__((aligned(64))); /* so that other threads write to no other object's cache line */

__thread __attribute__((tls_model("initial-exec"))) struct ch_inbox *ch_inbox_of_thread;
#define inbox ch_inbox_of_thread
_Static_assert(offsetof(struct ch_inbox, box) == 0, "an inbox begins with its mailbox");
__thread unsigned ch_inbox_expected;
__thread uint64_t ch_inbox_wakeups;

static int make_eventfd(void) { return ch_add_runtime_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

/* The inboxes of domains that have ended. They stay, with their descriptors, because a poster may look at `rest` after
 * its letter has been opened. The next domain takes one of them, and is at worst woken in vain. */
static struct ch_inbox *kept;

static void keep(struct ch_inbox *gone) {
  gone->next = __atomic_load_n(&kept, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&kept, &gone->next, gone, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
}

/* Takes the whole list and puts the rest back, so that no other thread has a pointer to one of them meanwhile. */
static struct ch_inbox *take_kept(void) {
  struct ch_inbox *first = __atomic_exchange_n(&kept, NULL, __ATOMIC_ACQUIRE);
  for (struct ch_inbox *rest = first ? first->next : NULL, *next; rest; rest = next) {
    next = rest->next;
    keep(rest);
  }
  return first;
}

static uint32_t forks;  /* how many lie between the program's first process and this one */
static uint32_t in_use; /* how many domains have an inbox */

bool ch_inbox_forked(void) {
  const uint32_t own = inbox != NULL, before = in_use;
  forks++;
  in_use = own;
  if (own)
    inbox->forks = forks;
  return before > own;
}
bool ch_inbox_is_gone(const struct ch_inbox *of) { return of->forks != forks; }

void ch_inbox_in_child(void) {
  ch_inbox_expected = 0;
  for (struct ch_inbox *gone; (gone = take_kept());) { /* in a child there are no late posters */
    if (gone->event >= 0)
      ch_close_runtime_descriptor(gone->event);
    free(gone);
  }
  if (!inbox)
    return;
  if (inbox->event >= 0)
    ch_close_runtime_descriptor(inbox->event);
  inbox->event = -1; /* the child makes one when it waits */
  inbox->listens = false;
}

static int get_event(struct ch_inbox *to) {
  int event = to->event >= 0 ? to->event : make_eventfd();
  if (event >= 0 && ch_reactor->listen(event) < 0) {
    int error = errno;
    ch_close_runtime_descriptor(event);
    errno = error;
    event = -1;
  }
  __atomic_store_n(&to->event, event, __ATOMIC_SEQ_CST);
  to->listens = event >= 0;
  return event;
}

bool ch_inbox_is_deaf(void) {
  if (CH_LIKELY(!inbox || inbox->listens))
    return false;
  int saved = errno;
  bool deaf = get_event(inbox) < 0;
  errno = saved;
  return deaf;
}

bool ch_inbox_is_signalled(void) {
  const int signal = ch_interrupt_signal();
  sigset_t one;
  pthread_sigmask(SIG_BLOCK, NULL, &inbox->mask);
  if (signal == 0 || sigismember(&inbox->mask, signal) || !ch_interrupts_begin(signal))
    return false;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  __atomic_store_n(&inbox->thread, gettid(), __ATOMIC_RELAXED);
  __atomic_store_n(&inbox->signal, signal, __ATOMIC_SEQ_CST);
  return true;
}

/* A sender that was late has its signal ended here: while there is a handler. */
void ch_inbox_is_signalled_no_more(void) {
  __atomic_store_n(&inbox->signal, 0, __ATOMIC_SEQ_CST);
  pthread_sigmask(SIG_SETMASK, &inbox->mask, NULL);
  ch_interrupts_end();
}

const sigset_t *ch_inbox_sleep_mask(void) { return inbox && inbox->signal ? &inbox->mask : NULL; }

int ch_inbox_lost(void) {
  if (!inbox)
    return 0;
  if (inbox->event >= 0)
    ch_forget_runtime_descriptor(inbox->event);
  inbox->event = -1;
  return get_event(inbox);
}

struct ch_inbox *ch_inbox_here(void) {
  if (CH_LIKELY(inbox != NULL))
    return inbox;
  struct ch_inbox *made = take_kept();
  if (!made) {
    made = aligned_alloc(_Alignof(struct ch_inbox), sizeof *made);
    if (!made)
      return NULL;
    *made = (struct ch_inbox){.event = -1};
  }
  made->forks = forks;
  ch_mailbox_open(&made->box);
  __atomic_fetch_add(&in_use, 1, __ATOMIC_RELAXED);
  return inbox = made;
}

void ch_inbox_end(void) {
  if (!inbox)
    return;
  do
    ch_inbox_open();
  while (!ch_mailbox_close(&inbox->box));
  struct ch_inbox *gone = inbox;
  inbox = NULL;
  gone->listens = gone->handed_out = false;
  gone->signal = 0; /* the thread may have been cancelled in such a sleep */
  __atomic_fetch_sub(&in_use, 1, __ATOMIC_RELAXED);
  keep(gone);
}

bool ch_inbox_is_open(void) { return inbox && inbox->handed_out; }
int ch_inbox_descriptor(void) { return inbox && inbox->event >= 0 ? ch_runtime_descriptor(inbox->event) : -1; }

/* It counts as awake from now on, so that nobody who looks keeps a processor from it (looking.h). */
static void wake(struct ch_inbox *sleeper, bool rests) {
  int saved = errno, event = rests ? -1 : __atomic_load_n(&sleeper->event, __ATOMIC_SEQ_CST);
  int signal = rests || event >= 0 ? 0 : __atomic_load_n(&sleeper->signal, __ATOMIC_SEQ_CST);
  uint64_t one = 1;
  ssize_t r = 0;
  ch_domain_wakes();
  ch_inbox_wakeups++;
  __atomic_store_n(&sleeper->woken_at, ch_monotonic_now(), __ATOMIC_RELAXED);
  if (rests)
    syscall(SYS_futex, &sleeper->box.rest, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  if (CH_UNLIKELY(signal != 0)) /* it does no harm if another thread of this process has that number by now */
    tgkill(getpid(), __atomic_load_n(&sleeper->thread, __ATOMIC_RELAXED), signal);
  while (event >= 0 && (r = ch_runtime_write(ch_runtime_descriptor(event), &one, sizeof one)) < 0 && errno == EINTR)
    ;
  if (CH_UNLIKELY(r < 0 && errno == EBADF)) {
    static const char why[] = "charcoal: a descriptor of the runtime was closed by a system call made by hand; use "
                              "close, close_range or closefrom, which leave it open\n";
    r = ch_runtime_write(2, why, sizeof why - 1);
    abort();
  }
  errno = saved;
}

bool ch_inbox_post(struct ch_inbox *to, struct ch_letter *letter) {
  ch_tsan_release(to);
  enum ch_mailbox_put put = ch_mailbox_put(&to->box, letter);
  if (put == CH_MAILBOX_PUT_ASLEEP || put == CH_MAILBOX_PUT_RESTING)
    wake(to, put == CH_MAILBOX_PUT_RESTING);
  return put != CH_MAILBOX_REFUSED;
}

/* Letters that have been taken out and not been opened, in the order of posting. */
static __thread struct ch_letter *unopened, **unopened_end;

bool ch_inbox_is_empty(void) { return !unopened && (!inbox || ch_mailbox_is_empty(&inbox->box)); }

static void take_out(void) {
  struct ch_letter *letter = ch_mailbox_take(&inbox->box), *first = NULL, *last = letter;
  ch_tsan_acquire(inbox);
  while (letter) {
    ch_atomic_fetch(letter);
    struct ch_letter *earlier = letter->next;
    letter->next = first;
    first = letter;
    letter = earlier;
  }
  if (!first)
    return;
  if (!unopened)
    unopened_end = &unopened;
  *unopened_end = first;
  unopened_end = &last->next;
}

bool ch_inbox_open(void) {
  if (CH_LIKELY(ch_inbox_is_empty()))
    return false;
  take_out();
  while (unopened) {
    struct ch_letter *letter = unopened;
    unopened = letter->next;
    (letter->open)(letter);
  }
  return true;
}

bool ch_inbox_recall(struct ch_letter *letter) {
  if (!inbox)
    return false;
  take_out();
  for (struct ch_letter **at = &unopened; *at; at = &(*at)->next)
    if (*at == letter) {
      *at = letter->next;
      if (!*at)
        unopened_end = at;
      return true;
    }
  return false;
}

bool ch_inbox_sleeps(bool rests) {
  if (!inbox)
    return true;
  ch_inbox_wakes(); /* it may be asleep already, if a foreign loop has the thread */
  ch_domain_sleeps();
  if (ch_mailbox_sleeps(&inbox->box, rests ? CH_MAILBOX_RESTING : CH_MAILBOX_ASLEEP) && !unopened)
    return true;
  ch_inbox_wakes();
  return false;
}

void ch_inbox_fetch(void) { ch_mailbox_fetch(&inbox->box); }
void ch_inbox_looks(void) { ch_mailbox_looks(&inbox->box); }

/* A sender changes the word before it wakes the domain. Such a sleep is a cancellation point of threads, as those of
 * the reactors are. */
void ch_inbox_rest(int64_t deadline) {
  struct timespec t = ch_timespec_of(deadline);
  int saved = errno, type = ch_begin_cancellation_point();
  syscall(SYS_futex, &inbox->box.rest, FUTEX_WAIT_BITSET_PRIVATE, CH_MAILBOX_RESTING,
          deadline == CH_FOREVER ? NULL : &t, NULL, FUTEX_BITSET_MATCH_ANY);
  ch_host_has_slept(type);
  errno = saved;
}

bool ch_inbox_stands(const struct ch_inbox *of, uint32_t *wakings) { return ch_mailbox_stands(&of->box, wakings); }

static void learn_wake_up_time(void) {
  int64_t took = ch_monotonic_now() - __atomic_load_n(&inbox->woken_at, __ATOMIC_RELAXED);
  took = took < 0 ? 0 : took > CH_LONGEST_WAKE_UP ? CH_LONGEST_WAKE_UP : took;
  inbox->wake_up_time += (took - inbox->wake_up_time) / 4;
}

int64_t ch_inbox_wake_up_time(void) { return inbox ? inbox->wake_up_time : 0; }

/* The inbox is opened only after this: see ch_inbox_stands. */
void ch_inbox_wakes(void) {
  uint32_t before = inbox ? ch_mailbox_wakes(&inbox->box) : CH_MAILBOX_AWAKE;
  if (CH_MAILBOX_SLEEPS(before))
    ch_domain_wakes();
  else if (before == CH_MAILBOX_WOKEN)
    learn_wake_up_time();
}

/* ---- for users ---- */

struct ch_inbox *ch_inbox(void) {
  if (!ch_is_in_domain()) {
    errno = EPERM;
    return NULL;
  }
  struct ch_inbox *here = ch_inbox_here();
  if (here && !here->handed_out) {
    here->handed_out = true;
    ch_domain.base.outside++; /* from now on a letter may come at any time */
    ch_slice_if_in_company();
  }
  return here;
}

struct message {
  struct ch_letter letter;
  void (*fn)(void *);
  void *argument;
};

static void open_message(struct ch_letter *letter) {
  struct message m = *(struct message *)letter;
  free(letter);
  m.fn(m.argument);
}

int ch_post(struct ch_inbox *to, void (*fn)(void *), void *argument) {
  if (!to)
    return EINVAL;
  struct message *m = malloc(sizeof *m);
  if (!m)
    return ENOMEM;
  *m = (struct message){{NULL, open_message}, fn, argument};
  if (ch_inbox_post(to, &m->letter))
    return 0;
  free(m);
  return ESRCH;
}
