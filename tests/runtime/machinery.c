/* Frames, slices, descriptors, names and reports. */
#include "by_hand.h"
#include "reactor/simulated.h"
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

static ch_sem s, done;
static ch_activity a;

/* ---- memory goes back after a peak ---- */

/* Counted page by page where the kernel can: its own count, in status, leaves out what a processor has not reported
 * yet. */
/* Of its own memory: how much of the program text is mapped is the kernel's affair. */
static long resident(void) {
  long kb = 0;
  char line[256];
  FILE *f = fopen("/proc/self/smaps_rollup", "r");
  if (!f)
    f = fopen("/proc/self/status", "r");
  EXPECT(f);
  while (fgets(line, sizeof line, f) && sscanf(line, "Anonymous: %ld kB", &kb) != 1 &&
         sscanf(line, "RssAnon: %ld kB", &kb) != 1) {
  }
  fclose(f);
  EXPECT(kb > 0);
  return kb * 1024;
}
FRAME_FUNCTION(parks, {}) {
  BEGIN(parks)
  CALL(1, ch_sem_wait_int(&s))
  EXPECT(*(long *)v.record < 1000000);
  END
}
MAIN_FUNCTION(peak, { long i, before; }) {
  enum { MANY = 200000 };
  BEGIN(peak_body)
  SPAWN(NULL, parks, &(long){-1}, 8);
  CALL(1, ch_reschedule_int())
  v.before = resident();
  for (v.i = 0; v.i < MANY; v.i++)
    EXPECT(SPAWN(NULL, parks, &v.i, 8) == 0);
  CALL(2, ch_reschedule_int())
  EXPECT(resident() - v.before <= MANY * 81L + 65536);
  EXPECT(resident() - v.before >= MANY * 72L); /* the test can see them */
  for (v.i = 0; v.i < MANY + 1; v.i++)
    ch_sem_post(&s);
  CALL(3, ch_sleep_int(1))
  EXPECT(resident() - v.before < 2L << 20);
  END
}
TEST(a_parked_activity_takes_80_bytes_and_memory_goes_back_after_a_peak) {
  unsetenv("CHARCOAL_FRAMES");
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* also where the machine is set up for large pages */
  run_domain(peak);
}

TEST(malloc_mode_runs_the_same_program) {
  setenv("CHARCOAL_FRAMES", "malloc", 1);
  int main_(void);
  EXPECT(main_() == 0);
}
MAIN_FUNCTION(several, { long i; }) {
  BEGIN(several_body)
  for (v.i = 0; v.i < 100; v.i++)
    SPAWN(v.i == 50 ? &a : NULL, parks, &v.i, 8);
  CALL(1, ch_reschedule_int()) {
    struct ch_stats st;
    ch_stats(&st);
    EXPECT(st.activities == 101 && st.frames == 100 && st.spawned == 101 && st.peak == 101);
  }
  for (v.i = 0; v.i < 100; v.i++)
    ch_sem_post(&s);
  CALL(2, ch_activity_wait_int(&a))
  CALL(3, ch_reschedule_int()) {
    struct ch_stats st;
    ch_stats(&st);
    EXPECT(st.activities == 1 && st.frames == 0 && st.frame_bytes == 0);
  }
  END
}
int main_(void) { return run_domain(several); }
TEST(stats_count_what_lives) { EXPECT(main_() == 0); }

/* ---- large and aligned frames ---- */

struct wide {
  const struct ch_frame_info *info;
  struct ch_frame *parent;
  uint32_t point, reserved;
};
TEST(large_and_aligned_frames) {
  struct ch_frame_info big = {.name = "big", .size = 100000, .align = 16, .flags = CH_FRAME_HOME};
  struct ch_frame_info aligned = {.name = "aligned", .size = 200, .align = 256, .flags = CH_FRAME_HOME};
  struct ch_frame *f = ch_frame_new(&big), *g = ch_frame_new(&aligned), *h = ch_frame_new(&big);
  EXPECT((uintptr_t)f % 16 == 0 && (uintptr_t)g % 256 == 0);
  memset(f->image, 1, 100000 - CH_FRAME_HEADER);
  memset(g->image, 2, 200 - CH_FRAME_HEADER);
  struct ch_stats st;
  ch_stats(&st);
  EXPECT(st.frames == 3 && st.frame_bytes == 200256); /* the small one has the size of its class */
  ch_frame_free(g);
  ch_frame_free(f);
  ch_frame_free(h);
  ch_stats(&st);
  EXPECT(st.frames == 0);
}

TEST(a_large_frame_that_was_given_back_serves_the_next_of_its_size) {
  struct ch_frame_info info = {.name = "large", .size = 4000, .align = 16, .flags = CH_FRAME_HOME};
  struct ch_frame_info other = {.name = "other", .size = 4016, .align = 16, .flags = CH_FRAME_HOME};
  struct ch_frame *f = ch_frame_new(&info), *g = ch_frame_new(&info);
  EXPECT(f != g);
  memset(f, 0xff, 4000);
  f->info = &info, f->held = 0;
  ch_frame_free(f);
  ch_frame_free(g);
  struct ch_frame *h = ch_frame_new(&other), *i = ch_frame_new(&info);
  EXPECT(h != i && i->info == &info && i->point == 0 && i->held == 0);
  struct ch_stats st;
  ch_stats(&st);
  EXPECT(st.frames == 2 && st.frame_bytes == 8016);
  ch_frame_free(h);
  ch_frame_free(i);
}

/* ---- slices ---- */

static volatile long turns[2];
/* for (;;) { turns[i]++; yield; } with the check that charcoal-cc emits */
FRAME_FUNCTION(spins, { long i; }) {
  BEGIN(spins)
  v.i = *(long *)v.record;
  while (turns[0] < 5 || turns[1] < 5) {
    turns[v.i]++;
    while (!ch_tls.attention) {
    }
    CALL(1, ((struct ch_int_result){CH_PAUSED, 0}))
  }
  END
}
MAIN_FUNCTION(slices, { long i; }) {
  BEGIN(slices_body)
  SPAWN(NULL, spins, &(long){0}, 8);
  SPAWN(&a, spins, &(long){1}, 8);
  CALL(1, ch_activity_wait_int(&a))
  END
}
TEST(slices_end_while_another_activity_is_runnable) {
  setenv("CHARCOAL_SLICE_US", "200", 1);
  run_domain(slices);
  EXPECT(turns[0] >= 5 && turns[1] >= 5);
}

/* ---- descriptors, simulated ---- */

FRAME_FUNCTION(waits_fd, { long fd; }) {
  BEGIN(waits_fd)
  v.fd = *(long *)v.record;
  CALL(1, ch_fd_wait_int((int)v.fd, POLLIN, v.fd == 5 ? 50 : CH_FOREVER))
  note(v.fd == 3 ? "3" : v.fd == 4 ? "4" : "5");
  EXPECT(value == (v.fd == 5 ? 0 : POLLIN));
  EXPECT(ch_now() == (v.fd == 3 ? 200 : v.fd == 4 ? 100 : 50));
  ch_sem_post(&done);
  END
}
MAIN_FUNCTION(descriptors, { long i; }) {
  BEGIN(descriptors_body)
  ch_simulated_event(200, 3, POLLIN);
  ch_simulated_event(100, 4, POLLIN);
  ch_simulated_event(60, 5, POLLIN);
  for (v.i = 3; v.i <= 5; v.i++)
    SPAWN(NULL, waits_fd, &v.i, 8);
  for (v.i = 0; v.i < 3; v.i++) {
    CALL(1, ch_sem_wait_int(&done))
  }
  CALL(2, ch_fd_wait_int(-1, POLLIN, CH_FOREVER))
  EXPECT(value == -EBADF);
  EXPECT(ch_fd_wait(4, POLLIN, 0) == POLLIN);
  EXPECT(ch_fd_wait(4, POLLOUT, 30) == 0 && ch_now() == 230);
  END
}
TEST(descriptors_wake_their_waiters_in_order_of_events) {
  run_domain(descriptors);
  EXPECT_NOTES("5 4 3");
}

/* ---- descriptors, epoll ---- */

static int pipes[2][2];
FRAME_FUNCTION(reads_pipe, { long i; }) {
  BEGIN(reads_pipe)
  v.i = *(long *)v.record;
  CALL(1, ch_fd_wait_int(pipes[v.i][0], POLLIN, CH_FOREVER)) {
    char c;
    EXPECT(value & POLLIN && read(pipes[v.i][0], &c, 1) == 1 && c == 'x');
  }
  if (v.i == 0)
    EXPECT(write(pipes[1][1], "x", 1) == 1);
  note(v.i == 0 ? "first" : "second");
  ch_sem_post(&done);
  END
}
MAIN_FUNCTION(real_descriptors, { long i; }) {
  BEGIN(real_descriptors_body)
  EXPECT(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
  SPAWN(NULL, reads_pipe, &(long){1}, 8);
  SPAWN(NULL, reads_pipe, &(long){0}, 8);
  CALL(1, ch_reschedule_int())
  EXPECT(write(pipes[0][1], "x", 1) == 1);
  for (v.i = 0; v.i < 2; v.i++) {
    CALL(2, ch_sem_wait_int(&done))
  }
  CALL(3, ch_fd_wait_int(pipes[0][0], POLLIN, 1000000))
  EXPECT(value == 0);
  close(pipes[0][1]);
  CALL(4, ch_fd_wait_int(pipes[0][0], POLLIN, CH_FOREVER))
  EXPECT(value == POLLHUP);
  close(pipes[0][0]);
  CALL(5, ch_fd_wait_int(pipes[0][0], POLLIN, CH_FOREVER))
  EXPECT(value == -EBADF);
  {
    /* The same numbers again, for other files: what was known of the old ones must not matter. */
    EXPECT(pipe(pipes[0]) == 0);
    EXPECT(ch_fd_wait(pipes[0][1], POLLOUT, CH_FOREVER) == POLLOUT);
    FILE *f = tmpfile();
    EXPECT(ch_fd_wait(fileno(f), POLLIN, CH_FOREVER) == POLLIN);
  }
  END
}
TEST(epoll_wakes_waiters_and_survives_reuse_of_numbers) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(real_descriptors);
  EXPECT_NOTES("first second");
}

TEST_EXITS(an_unknown_reactor_is_refused, CH_EXIT_MISUSE,
           "CHARCOAL_REACTOR='carrier-pigeon' is unknown; use io_uring, epoll or simulated") {
  setenv("CHARCOAL_REACTOR", "carrier-pigeon", 1);
  run_domain(slices);
}

/* ---- reports ---- */

FRAME_FUNCTION(named, { int i; }) {
  BEGIN(named)
  EXPECT(ch_set_name("server") == 0 && strcmp(ch_name(), "server") == 0);
  EXPECT(ch_set_name("waiter") == 0 && strcmp(ch_name(), "waiter") == 0);
  CALL(3, ch_sleep_int(1000))
  END
}
FRAME_FUNCTION(times_out, { int i; }) {
  BEGIN(times_out)
  CALL(2, ch_sem_timedwait_int(&s, 500))
  EXPECT(value == ETIMEDOUT);
  END
}
MAIN_FUNCTION(dumps, { int i; }) {
  BEGIN(dumps_body)
  SPAWN(&a, named, NULL, 0);
  SPAWN(NULL, times_out, NULL, 0);
  CALL(1, ch_reschedule_int())
  ch_spawn(NULL, (void *)parks, &(long){0}, 8, 0, "demo.c:9");
  raise(SIGQUIT);
  CALL(2, ch_activity_wait_int(&a))
  END
}
#define DUMP_TEST(id, text)                                                                                            \
  TEST_EXITS(id, 0, text) {                                                                                            \
    setenv("CHARCOAL_DUMP", "1", 1);                                                                                   \
    run_domain(dumps);                                                                                                 \
  }
DUMP_TEST(a_dump_counts_the_live, "charcoal: live activities: 4\n")
DUMP_TEST(a_dump_names_activities_and_says_since_when_they_wait, "\"waiter\": waits for timer, for ")
DUMP_TEST(a_dump_shows_where_they_sleep, "  #0 ch_sleep\n  #1 named at hand.c:103\n")
DUMP_TEST(a_dump_shows_every_clause_of_a_wait, " or timer, for ")
DUMP_TEST(a_dump_shows_callers, "  #0 ch_sem_timedwait\n  #1 times_out at hand.c:102\n")
DUMP_TEST(a_dump_shows_where_the_unborn_were_spawned, "not begun, spawned at demo.c:9, for ")
DUMP_TEST(a_dump_shows_who_runs, "\"main\": running, for ")
