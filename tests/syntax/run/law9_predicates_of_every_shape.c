// Three clauses, both operators in both places, without brackets and with either pair in brackets, under every mask of
// guards, with every set of clauses ready at first, and the others becoming ready in every order: which bodies run, in
// which order, and which units are taken, as the statement's text says. The text is read here as the paper words it:
// a clause whose guard is false goes, with the operator before it; the first of a bracket with the one behind it.
#include <charcoal.h>
#include <stdio.h>
#include <string.h>

static ch_sem s[3];
static int g[3];
static char ran[16];
static int ended;

static void body(int k) {
  size_t n = strlen(ran);
  ran[n] = (char)('A' + k);
  ran[n + 1] = 0;
}

#define CLAUSE(k) when (g[k]) waituntil (ch_sem_wait(&s[k])) body(k);
#define SHAPES(X)                                                                                                      \
  X(0, "A|B|C", CLAUSE(0) or CLAUSE(1) or CLAUSE(2))                                                                   \
  X(1, "A|B&C", CLAUSE(0) or CLAUSE(1) and CLAUSE(2))                                                                  \
  X(2, "A&B|C", CLAUSE(0) and CLAUSE(1) or CLAUSE(2))                                                                  \
  X(3, "A&B&C", CLAUSE(0) and CLAUSE(1) and CLAUSE(2))                                                                 \
  X(4, "(A|B)|C", (CLAUSE(0) or CLAUSE(1)) or CLAUSE(2))                                                               \
  X(5, "(A|B)&C", (CLAUSE(0) or CLAUSE(1)) and CLAUSE(2))                                                              \
  X(6, "(A&B)|C", (CLAUSE(0) and CLAUSE(1)) or CLAUSE(2))                                                              \
  X(7, "(A&B)&C", (CLAUSE(0) and CLAUSE(1)) and CLAUSE(2))                                                             \
  X(8, "A|(B|C)", CLAUSE(0) or (CLAUSE(1) or CLAUSE(2)))                                                               \
  X(9, "A|(B&C)", CLAUSE(0) or (CLAUSE(1) and CLAUSE(2)))                                                              \
  X(10, "A&(B|C)", CLAUSE(0) and (CLAUSE(1) or CLAUSE(2)))                                                             \
  X(11, "A&(B&C)", CLAUSE(0) and (CLAUSE(1) and CLAUSE(2)))

#define TEXT(n, text, statement) text,
static const char *const texts[] = {SHAPES(TEXT)};

#define RUN(n, text, statement)                                                                                        \
  case n:                                                                                                              \
    statement break;
static void perform(int shape) {
  switch (shape) { SHAPES(RUN) }
  ended = 1;
}
/* A statement without guards has a condition that is the same each time. */
#undef CLAUSE
#define CLAUSE(k) waituntil (ch_sem_wait(&s[k])) body(k);
static void perform_without_guards(int shape) {
  switch (shape) { SHAPES(RUN) }
  ended = 1;
}
#undef CLAUSE
#define CLAUSE(k) when (g[k]) waituntil (ch_sem_wait(&s[k])) body(k);
#define RUN_ELSE(n, text, statement)                                                                                   \
  case n:                                                                                                              \
    statement else strcat(ran, "e");                                                                                   \
    break;
static void perform_else(int shape) {
  switch (shape) { SHAPES(RUN_ELSE) }
}

// The text without the clauses whose guards are false.
static void prune(const char *text, char *to) {
  strcpy(to, text);
  for (int changed = 1; changed;) {
    changed = 0;
    for (char *at = to; *at && !changed; at++) {
      size_t gone = *at >= 'A' && *at <= 'C' && !g[*at - 'A'] ? 1 : strncmp(at, "()", 2) == 0 ? 2 : 0;
      if (!gone)
        continue;
      if (at > to && (at[-1] == '|' || at[-1] == '&'))
        at--, gone++;
      else if (at[gone] == '|' || at[gone] == '&')
        gone++;
      memmove(at, at + gone, strlen(at + gone) + 1);
      changed = 1;
    }
  }
}

static const char *look;
static int sum(int done);
static int factor(int done) {
  if (*look == '(') {
    look++;
    int value = sum(done);
    look++;
    return value;
  }
  return done >> (*look++ - 'A') & 1;
}
static int product(int done) {
  int value = factor(done);
  while (*look == '&') {
    look++;
    value &= factor(done);
  }
  return value;
}
static int sum(int done) {
  int value = product(done);
  while (*look == '|') {
    look++;
    value |= product(done);
  }
  return value;
}
static int holds(const char *text, int done) { return look = text, sum(done); }

static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

// What should have run, and what units should be left, when every clause has been given one.
static int expect(const char *text, int first, const int *order, char *runs) {
  int done = 0, n = 0, over = !*text;
  for (int k = 0; k < 3 && !over; k++)
    if (g[k] && first >> k & 1) {
      done |= 1 << k;
      runs[n++] = (char)('A' + k);
      over = holds(text, done);
    }
  for (int i = 0; i < 3 && !over; i++)
    if (g[order[i]] && !(first >> order[i] & 1)) {
      int k = order[i];
      done |= 1 << k;
      runs[n++] = (char)('A' + k);
      over = holds(text, done);
    }
  runs[n] = 0;
  return 7 & ~done;
}

static int left(void) {
  int units = 0;
  for (int k = 0; k < 3; k++)
    units |= (ch_sem_trywait(&s[k]) == 0) << k;
  return units;
}

int main(void) {
  int cases = 0, wrong = 0, seen[12] = {0};
  for (int shape = 0; shape < 12; shape++)
    for (int guards = 0; guards < 8; guards++)
      for (int first = 0; first < 8; first++) {
        char text[16], runs[8];
        for (int k = 0; k < 3; k++)
          g[k] = guards >> k & 1;
        prune(texts[shape], text);

        for (int run = 0; run < (guards == 7 ? 12 : 6); run++, cases++) {
          const int order = run % 6;
          for (int k = 0; k < 3; k++)
            ch_sem_init(&s[k], first >> k & 1);
          ran[0] = 0;
          ended = 0;
          ch_activity a;
          activate [&a] (shape, run) { run < 6 ? perform(shape) : perform_without_guards(shape); }
          for (int i = 0; i < 3; i++) {
            for (int turns = 0; turns < 40; turns++)
              ch_reschedule();
            if (!(first >> orders[order][i] & 1))
              ch_sem_post(&s[orders[order][i]]);
          }
          ch_activity_wait(&a);
          int units = expect(text, first, orders[order], runs), were = left();
          if (strcmp(runs, ran) != 0 || units != were || !ended) {
            if (wrong++ < 5)
              printf("%s guards %d first %d order %d: %s left %d, wanted %s left %d\n", texts[shape], guards, first, order,
                     ran, were, runs, units);
          }
          seen[shape] |= 1 << strlen(ran);
        }

        // With `else`: all of it now, or nothing.
        for (int k = 0; k < 3; k++)
          ch_sem_init(&s[k], first >> k & 1);
        ran[0] = 0;
        perform_else(shape);
        int ready = first & guards, units = first;
        strcpy(runs, "e");
        if (*text && holds(text, ready)) {
          int over = 0, done = 0, n = 0;
          for (int k = 0; k < 3 && !over; k++)
            if (ready >> k & 1) {
              done |= 1 << k;
              runs[n++] = (char)('A' + k);
              over = holds(text, done);
            }
          runs[n] = 0;
          units &= ~done;
        }
        int were = left();
        cases++;
        if (strcmp(runs, ran) != 0 || units != were)
          if (wrong++ < 5)
            printf("%s else guards %d first %d: %s left %d, wanted %s left %d\n", texts[shape], guards, first, ran, were,
                   runs, units);
      }
  printf("%d cases, %d wrong\nnumbers of bodies seen:", cases, wrong);
  for (int shape = 0; shape < 12; shape++)
    printf(" %d", seen[shape]);
  puts("");
  return wrong != 0;
}
