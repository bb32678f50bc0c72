/* Events and the world outside: what triggers them by itself, other threads and domains (charcoal/events.h). */
#include "../harness.h"
#include <charcoal/domains.h>
#include <charcoal/events.h>
#include <charcoal/future.h>
#include <charcoal/offload.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>

static struct ch_event_counts counted(void) {
  struct ch_event_counts c;
  ch_event_counts(&c);
  return c;
}

/* ---- sources ---- */

static void work(void *n) { ++*(int *)n; }
TEST(events_come_from_times_descriptors_children_signals_activities_and_the_pool) {
  int pipes[2], ready = 0, status = -1, signal = 0, done = 0;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  EXPECT(pipe(pipes) == 0);
  pid_t child = fork();
  if (child == 0)
    _exit(3);
  ch_activity handle;
  activate[&handle] ch_sleep(1000000);
  twait {
    ch_trigger_after(1000000, mkevent());
    ch_trigger_at(ch_now() + 1000000, mkevent());
    ch_trigger_on_fd(pipes[0], POLLIN, mkevent(&ready));
    ch_trigger_on_child(child, mkevent(&status));
    ch_trigger_on_signal(SIGUSR1, mkevent(&signal));
    ch_trigger_on_end(&handle, mkevent());
    ch_trigger_offload(work, &done, mkevent());
    EXPECT(write(pipes[1], "x", 1) == 1);
    kill(getpid(), SIGUSR1);
  }
  EXPECT(ready == POLLIN && WIFEXITED(status) && WEXITSTATUS(status) == 3 && signal == SIGUSR1 && done == 1);
}

TEST(an_event_of_a_descriptor_that_is_closed_tells_the_error) {
  int pipes[2], ready = 0;
  EXPECT(pipe(pipes) == 0);
  twait {
    ch_trigger_on_fd(pipes[0], POLLIN, mkevent(&ready));
    EXPECT(close(pipes[0]) == 0);
  }
  EXPECT(ready == -EBADF);
}

TEST(descriptors_that_are_always_ready_are_served_in_turn) {
  rendezvous(int) r;
  int pipes[2][2], served[2] = {0}, which, ready;
  for (int i = 0; i < 2; i++) {
    EXPECT(pipe(pipes[i]) == 0 && write(pipes[i][1], "", 1) == 1);
    EXPECT(ch_trigger_on_fd(pipes[i][0], POLLIN, mkevent(r, i, &ready)) == 0);
  }
  for (int n = 0; n < 20; n++) {
    EXPECT(twait(r, &which) == 0);
    served[which]++;
    EXPECT(ch_trigger_on_fd(pipes[which][0], POLLIN, mkevent(r, which, &ready)) == 0);
  }
  EXPECT(served[0] >= 9 && served[1] >= 9);
  ch_rendezvous_cancel(r);
}

TEST(cancelling_an_event_withdraws_its_source) {
  rendezvous() r;
  int pipes[2], ready = 0;
  EXPECT(pipe(pipes) == 0);
  ch_trigger_after(CH_FOREVER, mkevent(r));
  ch_trigger_on_fd(pipes[0], POLLIN, mkevent(r, &ready));
  event() e = mkevent(r);
  EXPECT(ch_trigger_after(CH_FOREVER, e) == 0 && ch_trigger_after(1, e) == EBUSY && ch_outstanding(r) == 3);
  EXPECT(ch_rendezvous_cancel(r) == 0 && ch_outstanding(r) == 0);
  EXPECT(write(pipes[1], "x", 1) == 1);
  char x;
  EXPECT(read(pipes[0], &x, 1) == 1 && ready == 0);
  EXPECT(counted().triggered == 0 && ch_triggered(r) == 0);
}

TEST(a_signal_is_a_limit) {
  sigset_t set;
  _Bool in_time = 1;
  int n = 5;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  twait { /* `kept` stays outstanding until the signal comes */
    event(int) kept = ch_add_signal(int, SIGUSR2, mkevent(&in_time, &n));
    EXPECT(ch_event_is_outstanding(kept));
    kill(getpid(), SIGUSR2);
  }
  EXPECT(!in_time && n == 5);
  twait { ch_trigger(ch_add_signal(int, SIGUSR2, mkevent(&in_time, &n)), 6); }
  EXPECT(in_time && n == 6);
}

/* ---- other threads and domains ---- */

struct values {
  char text[40];
};
static void *foreign(void *e) {
  struct values v = {"from a thread"};
  ch_trigger(ch_event_from(e, struct values, int), v, 7);
  return NULL;
}
static void another_domain(void *e) { foreign(e); }
TEST(an_event_is_triggered_from_a_thread_and_from_another_domain) {
  for (int i = 0; i < 2; i++) {
    struct values v = {""};
    int n = 0;
    rendezvous() r;
    event(struct values, int) e = mkevent(r, &v, &n);
    pthread_t thread;
    ch_thread domain;
    if (i)
      EXPECT(ch_domain_start(&domain, another_domain, ch_event_argument(e, struct values, int)) == 0);
    else
      EXPECT(pthread_create(&thread, NULL, foreign, ch_event_argument(e, struct values, int)) == 0);
    EXPECT(twait(r) == 0 && strcmp(v.text, "from a thread") == 0 && n == 7);
    EXPECT(i ? ch_domain_join(&domain) == 0 : pthread_join(thread, NULL) == 0);
  }
}

static future(int) shared;
static void sets_it(void *unused) {
  (void)unused;
  ch_future_set(&shared, 7);
}
TEST(a_future_that_another_domain_sets_triggers_an_event) {
  ch_thread domain;
  int error = -1, value = 0;
  ch_future_init_shared(&shared);
  twait {
    EXPECT(ch_trigger_on_future(&shared, mkevent(&error)) == 0);
    EXPECT(ch_domain_start(&domain, sets_it, NULL) == 0);
  }
  EXPECT(error == 0 && ch_get(&shared, &value) == 0 && value == 7 && ch_domain_join(&domain) == 0);
}

static event() left_behind;
static void makes_one(void *unused) {
  static rendezvous() r;
  (void)unused;
  left_behind = mkevent(r);
}
TEST(an_event_of_a_domain_that_has_ended_is_gone) {
  ch_thread domain;
  EXPECT(ch_domain_start(&domain, makes_one, NULL) == 0 && ch_domain_join(&domain) == 0);
  EXPECT(ch_trigger(left_behind) == EALREADY);
}

/* ---- callbacks ---- */

static void library(void (*callback)(void *), void *argument) { callback(argument); }
TEST(an_event_is_the_callback_of_a_library) {
  twait {
    event() e = mkevent();
    library(ch_event_callback, ch_event_argument(e));
  }
  EXPECT(counted().triggered == 1);
}

/* ---- mistakes ---- */

TEST(a_signal_that_does_not_exist_triggers_nothing) {
  rendezvous() r;
  int number;
  EXPECT(ch_trigger_on_signal(0, mkevent(r, &number)) == EINVAL);
  EXPECT(ch_trigger_on_signal(-1, mkevent(r, &number)) == EINVAL);
  EXPECT(ch_trigger_on_signal(1000, mkevent(r, &number)) == EINVAL);
  EXPECT(ch_outstanding(r) == 3);
}
