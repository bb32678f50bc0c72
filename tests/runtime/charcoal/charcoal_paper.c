/* What the Charcoal papers (seeds 000, 001) say of atomic blocks and spawning: sections 3.2 to 3.4 and 4.3, "a stack of
 * sets of activities". Each test states the sentence that it shows. Virtual time. */
#include "simulated.h"

/* delay-spawn: "threads spawned within an atomic block are delayed until just after the block has completed"; of nested
 * blocks the outermost counts, and so it does for a block in a function that is called. */
static int spawned;
static void spawns_inside(void) {
  atomic {
    activate { spawned++; }
    ch_reschedule();
    EXPECT(spawned == 0);
  }
}
TEST(law_6_delayed_until_the_outermost_block_has_ended) {
  atomic {
    atomic { spawns_inside(); }
    ch_reschedule();
    spawns_inside();
    EXPECT(spawned == 0);
  }
  ch_reschedule();
  EXPECT(spawned == 2);
}

/* spawn-contained: "allowed to run concurrently, and the block is not complete until such threads are finished";
 * children, grandchildren. */
static int family;
static void have_children(int depth) {
  if (depth == 0) {
    family++;
    return;
  }
  for (int i = 0; i < 3; i++)
    activate contained(depth) {
      ch_sleep(depth);
      have_children(depth - 1);
    }
}
TEST(law_6_the_block_waits_for_grandchildren) {
  int64_t begin = ch_now();
  atomic have_children(3);
  EXPECT(family == 27 && ch_now() - begin == 6);
}

/* An ordinary spawn in a contained activity is as delayed as one in the block itself. */
TEST(law_6_what_a_contained_activity_spawns_is_delayed) {
  atomic {
    activate contained {
      activate { note("delayed"); }
      ch_reschedule();
      note("contained");
    }
  }
  note("behind");
  ch_reschedule();
  EXPECT_NOTES("contained behind delayed");
}

/* "A stack of sets": while a contained activity is in a block of its own, only those contained in that one run; then
 * its siblings again. */
TEST(law_6_sets_of_activities_are_a_stack) {
  ch_sem inner_done = CH_SEM_INIT(0);
  atomic {
    activate contained {
      note("a1");
      atomic {
        activate contained {
          note("inner");
          ch_reschedule();
          note("inner");
        }
        ch_reschedule();
      }
      note("a2");
      ch_sem_post(&inner_done);
    }
    activate contained {
      ch_sem_wait(&inner_done);
      note("b");
    }
  }
  EXPECT_NOTES("a1 inner inner a2 b");
}

/* "The only situation in which delay-spawn is problematic is when the code executing the atomic block waits for the
 * newly spawned activity": it is reported, also through a chain of such waits. */
static void waits_for_a_delayed_one(void) {
  ch_sem s = CH_SEM_INIT(0);
  activate { ch_sem_post(&s); }
  atomic {
    activate contained { ch_sem_wait(&s); }
  }
}
TEST_EXITS(law_5_a_block_whose_activity_waits_for_a_delayed_one_is_a_deadlock, CH_EXIT_DEADLOCK,
           "inside an atomic block") {
  waits_for_a_delayed_one();
}

/* Every way out: the activities that are contained have ended when the code behind goes on. */
static int way_out(int how, int *ended) {
  for (int i = 0; i < 2; i++) {
    do {
      atomic {
        activate contained {
          ch_sleep(5);
          ++*ended;
        }
        if (how == 0)
          return *ended; /* computed before the block ends */
        if (how == 2)
          goto out;
        if (how == 3)
          cancel;
      }
      EXPECT(*ended == i + 1);
      EXPECT((how == 3) == ch_cancelled());
    }
    finish;
  }
  return 10;
out:
  return 20;
}
TEST(law_5_every_way_out_of_a_block_waits_for_those_in_it) {
  int ended = 0;
  EXPECT(way_out(0, &ended) == 0 && ended == 1);
  ended = 0;
  EXPECT(way_out(2, &ended) == 20 && ended == 1);
  ended = 0;
  EXPECT(way_out(3, &ended) == 10 && ended == 2);
  ended = 0;
  EXPECT(way_out(4, &ended) == 10 && ended == 2);
}

/* "In the dynamic scope of an atomic block the current activity cannot be interrupted": whatever is called, however
 * deep, and by a pointer, too. */
static int steps, seen_by_other;
static int deep(int n) {
  steps++;
  ch_reschedule();
  return n ? deep(n - 1) + 1 : 0;
}
TEST(law_5_nothing_in_its_dynamic_scope_is_interrupted) {
  int (*volatile pointer)(int) = deep;
  ch_activity other;
  activate[&other] {
    for (int i = 0; i < 1000; i++) {
      seen_by_other |= steps % 52 != 0; /* never in the middle */
      ch_reschedule();
    }
  }
  for (int i = 0; i < 20; i++) {
    atomic { EXPECT(deep(25) == 25 && pointer(25) == 25); }
    ch_reschedule();
  }
  ch_activity_wait(&other);
  EXPECT(!seen_by_other && steps == 20 * 52);
}

/* Async in a block is a call (its waits let nobody else run), and the finish has nothing to wait for. */
TEST(law_11_async_in_a_block_is_a_call) {
  atomic {
    do {
      async {
        ch_sleep(7);
        note("1");
      }
      note("2");
      async { note("3"); }
    }
    finish;
    note("4");
  }
  EXPECT_NOTES("1 2 3 4");
}

/* Joining an activity that is contained, from the block and from its sibling. */
TEST(law_6_contained_activities_are_joined_inside) {
  atomic {
    ch_activity first, second;
    activate contained[&first] { ch_sleep(5); }
    activate contained[&second] { EXPECT(ch_activity_wait(&first) == 0); }
    EXPECT(ch_activity_wait(&second) == 0 && ch_activity_finished(&first));
  }
}
