/* Several domains in one process. */
#define _GNU_SOURCE
#include "by_hand.h"

#include "charcoal/lowlevel.h"
#include "reactor/inbox.h"
#include "sched/domain.h"
#include "sched/external_wakers.h"
#include "sync/gate.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>

struct ch_int_result ch_domain_join_int(ch_thread *) CH_INT_NAME(ch_domain_join);
static ch_thread threads[8];
static struct ch_scope S;

/* ---- a domain has its own activities, and ends with the last of them ---- */

static int count[8];
FRAME_FUNCTION(counts, { int i; }) {
  BEGIN(counts)
  CALL(5, ch_sleep_int(1000000))
  ++*(int *)*(void **)v.record;
  END
}
static void spawns_three(void *argument) {
  EXPECT(ch_self() == NULL && ch_name() == NULL);
  EXPECT(ch_set_name("first") == 0);
  for (int i = 0; i < 3; i++)
    EXPECT(SPAWN(NULL, counts, &argument, sizeof argument) == 0);
  struct ch_stats stats;
  ch_stats(&stats);
  EXPECT(stats.activities == 4);
}
MAIN_FUNCTION(several, { int i; }) {
  BEGIN(several_body)
  for (v.i = 0; v.i < 8; v.i++)
    EXPECT(ch_domain_start(&threads[v.i], spawns_three, &count[v.i]) == 0);
  for (v.i = 0; v.i < 8; v.i++) {
    CALL(5, ch_domain_join_int(&threads[v.i]))
    EXPECT(value == 0 && count[v.i] == 3);
  }
  END
}
TEST(a_domain_ends_when_all_its_activities_have_finished) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(several);
}

static void nothing(void *argument) { (void)argument; }
MAIN_FUNCTION(simulated, { int i; }) {
  BEGIN(simulated_body)
  EXPECT(ch_domain_start(&threads[0], nothing, NULL) == ENOTSUP);
  END
}
TEST(the_simulated_world_has_one_domain) { run_domain(simulated); }
TEST(who_starts_a_domain_gets_one) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  EXPECT(ch_domain_start(&threads[0], nothing, NULL) == 0);
  EXPECT(ch_domain_join(&threads[0]) == 0);
}

/* ---- slices serve them all ---- */

static volatile int stop[3];
static void spins(void *flag) {
  while (!*(volatile int *)flag)
    if (ch_tls.slice_over) {
      *(volatile int *)flag = 1;
      ch_tls.slice_over = 0;
    }
}
static int waits_outside(void *record) { return (int)(uintptr_t)record & 0; }
static void spins_in_company(void *flag) {
  SPAWN(NULL, waits_outside, NULL, 0);
  spins(flag);
}
MAIN_FUNCTION(slices, { int i; }) {
  BEGIN(slices_body)
  for (v.i = 0; v.i < 3; v.i++)
    EXPECT(ch_domain_start(&threads[v.i], spins_in_company, (void *)&stop[v.i]) == 0);
  for (v.i = 0; v.i < 3; v.i++) {
    CALL(5, ch_domain_join_int(&threads[v.i]))
    EXPECT(value == 0);
  }
  END
}
TEST(law_1_the_slice_timer_serves_every_domain) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(slices);
}

/* ---- a join can be cancelled, and made again ---- */

static ch_waiter go;
static void waits_for_go(void *argument) { EXPECT(ch_waiter_suspend(argument) == 0); }
FRAME_FUNCTION(joins, { int i; }) {
  BEGIN(joins)
  CALL(5, ch_domain_join_int(&threads[0]))
  EXPECT(value == ECANCELED);
  note("j");
  END
}
ASYNC_MAIN(cancelled_join, 4, { int i; }) {
  BEGIN(cancelled_join_body)
  EXPECT(ch_domain_start(&threads[0], waits_for_go, &go) == 0);
  ENTER(&S);
  ASYNC(1, &S, joins(NULL))
  ch_scope_cancel(&S);
  LEAVE(5, &S)
  ch_waiter_schedule(&go);
  EXPECT(ch_domain_join(&threads[0]) == 0);
  END
}
TEST(law_4_a_join_that_is_cancelled_can_be_made_again) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(cancelled_join);
  EXPECT_NOTES("j");
}

/* ---- back and forth ---- */

static int rounds = 20000;
static int64_t wake_up_time; /* the longest that the domain took its own to be, in ns */
static ch_waiter ping, pong;
static int ball;
static unsigned wake_us; /* how long a system call that wakes a domain takes at least; 0: as long as it takes */
static bool main_goes_to_sleep;
static void waits_for_the_sleep_of_main(void) {
  if (!wake_us)
    return;
  while (!__atomic_exchange_n(&main_goes_to_sleep, false, __ATOMIC_ACQ_REL))
    usleep(10);
  usleep(1000); /* from its last step to its sleep */
}
FRAME_FUNCTION(partner, { int i; }) {
  BEGIN(partner)
  for (v.i = 0; v.i < rounds; v.i++) {
    CALL(5, ch_waiter_suspend_int(&ping))
    EXPECT(ball == v.i);
    ball++;
    waits_for_the_sleep_of_main();
    ch_waiter_schedule(&pong);
  }
  END
}
static void starts_partner(void *argument) {
  EXPECT(SPAWN(NULL, partner, NULL, 0) == 0);
  (void)argument;
}
MAIN_FUNCTION(back_and_forth, { int i; }) {
  BEGIN(back_and_forth_body)
  EXPECT(ch_domain_start(&threads[0], starts_partner, NULL) == 0);
  for (v.i = 0; v.i < rounds; v.i++) {
    ch_waiter_schedule(&ping);
    CALL(5, ch_waiter_suspend_int(&pong))
    EXPECT(ball == v.i + 1);
    if (ch_inbox_wake_up_time() > wake_up_time)
      wake_up_time = ch_inbox_wake_up_time();
  }
  CALL(6, ch_domain_join_int(&threads[0]))
  END
}
TEST(waiters_pass_control_between_domains) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(back_and_forth);
}

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */
/* The runtime's system calls, too. */
long syscall(long number, ...) {
  static long (*original)(long, ...);
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(list, long);
  va_end(list);
  if (!original)
    original = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  if (wake_us && number == SYS_futex && a[1] == FUTEX_WAKE_PRIVATE)
    usleep(wake_us);
  if (number == SYS_futex && a[1] == FUTEX_WAIT_BITSET_PRIVATE && gettid() == getpid())
    __atomic_store_n(&main_goes_to_sleep, true, __ATOMIC_RELEASE);
  return original(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
TEST(a_domain_knows_how_long_its_wake_ups_take) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  setenv("CHARCOAL_LOOK_US", "0", 1);
  wake_us = 1000;
  rounds = 50;
  run_domain(back_and_forth);
  EXPECT(wake_up_time > CH_LONGEST_WAKE_UP / 2 && wake_up_time <= CH_LONGEST_WAKE_UP);
}

/* ---- a child of fork has the domain that forked ---- */

MAIN_FUNCTION(forks, { int i; }) {
  BEGIN(forks_body)
  EXPECT(ch_domain_start(&threads[0], spins_in_company, (void *)&stop[0]) == 0);
  CALL(5, ch_sleep_int(1000000))
  if (fork() == 0) {
    EXPECT(ch_domain_start(&threads[1], spawns_three, &count[1]) == 0);
    EXPECT(ch_domain_join(&threads[1]) == 0 && count[1] == 3);
    spins_in_company((void *)&stop[1]);
    _exit(0);
  }
  static int status;
  EXPECT(wait(&status) > 0 && status == 0);
  CALL(6, ch_domain_join_int(&threads[0]))
  END
}
TEST(a_child_of_fork_has_slices_and_starts_domains_again) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(forks);
}
/* ---- nothing is left ---- */

static int descriptors(void) {
  int n = 0;
  for (int fd = 0; fd < 1000; fd++)
    n += fcntl(fd, F_GETFD) >= 0;
  return n;
}
static void sleeps(void *argument) {
  EXPECT(ch_sleep(1000) == 0);
  (void)argument;
}
MAIN_FUNCTION(many, {
  int before;
  int i;
}) {
  BEGIN(many_body)
  for (v.i = 0; v.i < 200; v.i++) {
    EXPECT(ch_domain_start(&threads[0], sleeps, NULL) == 0);
    CALL(5, ch_domain_join_int(&threads[0]))
    EXPECT(value == 0);
    if (v.i == 0)
      v.before = descriptors();
  }
  EXPECT(descriptors() <= v.before + 2);
  END
}
/* A way in for other threads outlives its domain, and is the next one's. */
static void waits_for_itself(void *argument) {
  ch_waiter w = {0};
  ch_waiter_schedule(&w);
  EXPECT(ch_waiter_suspend(&w) == 0);
  sleeps(argument);
}
MAIN_FUNCTION(many_with_inboxes, {
  int before;
  int i;
}) {
  BEGIN(many_with_inboxes_body)
  for (v.i = 0; v.i < 200; v.i++) {
    EXPECT(ch_domain_start(&threads[0], waits_for_itself, NULL) == 0);
    EXPECT(ch_domain_start(&threads[1], waits_for_itself, NULL) == 0);
    CALL(5, ch_domain_join_int(&threads[0]))
    EXPECT(value == 0);
    CALL(6, ch_domain_join_int(&threads[1]))
    EXPECT(value == 0);
    if (v.i == 0)
      v.before = descriptors();
  }
  EXPECT(descriptors() <= v.before + 4);
  END
}
TEST(a_domain_that_could_be_reached_from_others_leaves_no_descriptor_open) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(many_with_inboxes);
}
TEST(a_domain_leaves_no_descriptor_open) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(many);
}
TEST(a_domain_leaves_no_descriptor_open_of_whichever_reactor_is_the_first_choice) {
  unsetenv("CHARCOAL_REACTOR");
  run_domain(many);
}
TEST(waiters_pass_control_between_domains_of_whichever_reactor_is_the_first_choice) {
  unsetenv("CHARCOAL_REACTOR");
  run_domain(back_and_forth);
}

/* ---- a domain that has not slept after all does not stand ---- */

static _Atomic int has_asked;
static bool may_be_woken;
static void asks(void *unused) {
  int64_t until;
  (void)unused;
  may_be_woken = ch_may_be_woken(&until);
  ch_awake();
  has_asked = 1;
}
/* Nobody could have woken it, but a letter had just come. It went on, and sleeps now for another reason. */
MAIN_FUNCTION(goes_on, { int64_t until; }) {
  BEGIN(goes_on_body)
  EXPECT(!ch_may_be_woken(&v.until));
  EXPECT(ch_inbox_sleeps(false));
  EXPECT(ch_domain_start(&threads[0], asks, NULL) == 0);
  while (!has_asked)
    sched_yield();
  ch_inbox_wakes();
  EXPECT(may_be_woken);
  CALL(5, ch_domain_join_int(&threads[0]))
  EXPECT(value == 0);
  END
}
TEST(a_letter_that_comes_while_a_domain_looks_who_could_wake_it_leads_to_no_deadlock_later) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(goes_on);
}

/* ---- a lock that another thread of the parent had at the moment of a fork ---- */

static struct ch_gate changed = {.object = {.shared = true}};
static void enter_in_child(pid_t (*child_of)(void)) {
  int status;
  alarm(20);
  changed.object.lock = ch_lock_mark; /* of a thread that the child does not have */
  pid_t child = child_of();
  if (child == 0) {
    alarm(20);
    ch_gate_enter(&changed);
    _exit(0);
  }
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
  _exit(WEXITSTATUS(status));
}
TEST_EXITS(a_child_that_uses_what_another_thread_was_changing_ends_with_a_message, CH_EXIT_MISUSE, "was changing") {
  enter_in_child(fork);
}
TEST_EXITS(so_does_a_child_of_which_no_handler_learns, CH_EXIT_MISUSE, "was changing") { enter_in_child(_Fork); }

TEST(what_a_child_has_locked_itself_is_its_own) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    ch_gate_enter(&changed);
    ch_gate_leave(&changed);
    _exit(changed.object.lock != 0);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}
