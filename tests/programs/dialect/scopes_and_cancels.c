/* A random tree of scopes, branches and cancels beside a model of it: wherever a branch stands, ch_cancelled() says
 * what the model says; a wait ends with ECANCELED only in a marked scope, and then has had no effect (laws 3 and 4). */
// outcome: scopes_and_cancels.expected
#include <charcoal.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct scope {
  struct scope *outer;
  int cancelled, barrier, open; /* open: branches of it that run */
};

static ch_sem units;
static long posted, taken, refused, scopes, branches;
static int finished;

static int marked(const struct scope *s) {
  for (; s; s = s->outer) {
    if (s->cancelled)
      return 1;
    if (s->barrier)
      return 0;
  }
  return 0;
}

static void wrong(const char *what, int line) {
  printf("%s, line %d\n", what, line);
  exit(1);
}
#define CHECK(what) ((what) ? (void)0 : wrong(#what, __LINE__))

static unsigned next(unsigned *seed) { return (*seed = *seed * 1103515245u + 12345u) >> 16; }

/* Something that waits, or would. */
static void wait_once(struct scope *s, unsigned *seed) {
  int before = marked(s), error;
  CHECK(ch_cancelled() == before);
  switch (next(seed) % 4) {
  case 0:
    error = ch_sem_wait(&units);
    taken += !error;
    break;
  case 1:
    error = ch_sem_timedwait(&units, 2000);
    taken += !error;
    error = error == ETIMEDOUT ? 0 : error;
    break;
  case 2:
    error = ch_sleep(next(seed) % 3000);
    break;
  default:
    error = 0;
    yield;
    ch_reschedule();
  }
  CHECK(ch_cancelled() == marked(s));
  CHECK(error == 0 || error == ECANCELED);
  CHECK(error == 0 || marked(s));
  refused += error != 0;
}

static int tree(struct scope *around, int depth, unsigned seed);

static noncancellable void protected_tree(struct scope *around, int depth, unsigned seed) {
  struct scope barrier = {around, 0, 1, 0};
  CHECK(!ch_cancelled());
  wait_once(&barrier, &seed);
  tree(&barrier, depth, seed);
  CHECK(!ch_cancelled());
}

static void leaf(struct scope *s, unsigned seed) {
  branches++;
  s->open++;
  for (unsigned i = next(&seed) % 3 + 1; i > 0; i--)
    wait_once(s, &seed);
  s->open--;
}

static int tree(struct scope *around, int depth, unsigned seed) {
  struct scope outer = {around, 0, 0, 0}, inner = {&outer, 0, 0, 0};
  scopes++;
  int before = marked(around);
outermost:
  do {
    CHECK(ch_cancelled() == before);
    for (int i = 0; i < 3; i++) {
      async {
        unsigned mine = seed + 977u * (unsigned)i;
        int my_depth = depth;
        branches++;
        outer.open++;
        wait_once(&outer, &mine);
        if (my_depth > 0 && next(&mine) % 2)
          tree(&outer, my_depth - 1, mine);
        if (my_depth > 0 && next(&mine) % 4 == 0)
          protected_tree(&outer, my_depth - 1, mine);
        if (next(&mine) % 5 == 0) {
          outer.cancelled = 1;
          cancel;
        }
        CHECK(ch_cancelled() == marked(&outer));
        async leaf(&outer, mine + 1);
        wait_once(&outer, &mine);
        outer.open--;
      }
      wait_once(&outer, &seed);
    }
    do {
      scopes++;
      async leaf(&inner, seed + 1);
      async {
        unsigned mine = seed + 2;
        wait_once(&inner, &mine);
        if (next(&mine) % 6 == 0) {
          outer.cancelled = 1;
          cancel outermost;
          CHECK(ch_cancelled());
        }
      }
      if (next(&seed) % 3 == 0) {
        inner.cancelled = 1;
        cancel;
      }
      wait_once(&inner, &seed);
      if (next(&seed) % 8 == 0)
        goto left; /* out of both, past everything */
      if (next(&seed) % 8 == 0)
        return 1;
      async noncancellable {
        struct scope barrier = {&inner, 0, 1, 0};
        unsigned mine = seed + 3;
        wait_once(&barrier, &mine);
      }
    }
    finish;
    CHECK(inner.open == 0);
    CHECK(ch_cancelled() == marked(&outer));
  }
  finish;
left:
  CHECK(outer.open == 0 && inner.open == 0);
  CHECK(ch_cancelled() == marked(around));
  return 0;
}

int main(void) {
  ch_activity feeder;
  ch_sem_init(&units, 0);
  activate [&feeder] {
    while (!finished) {
      posted++;
      ch_sem_post(&units);
      ch_sleep(500);
    }
  }
  for (unsigned i = 0; i < 40; i++) {
    do {
      async tree(NULL, 2, i * 7919u);
      async tree(NULL, 1, i * 104729u);
    }
    finish;
  }
  finished = 1;
  ch_activity_wait(&feeder);
  long left = 0;
  while (ch_sem_trywait(&units) == 0)
    left++;
  CHECK(posted == taken + left);
  CHECK(branches > 1000 && scopes > 200 && refused > 100 && taken > 100);
  printf("every mark as in the model\n");
  return 0;
}
