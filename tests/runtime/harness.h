/* Tests of the runtime: each runs in a process of its own, so that one may deadlock, exit or crash as it should.
 *
 *   TEST(name) { ... EXPECT(x == 1); }                 passes if it ends with status 0
 *   TEST_EXITS(name, 70, "deadlock") { ... }           passes if it ends with that status and its standard error holds
 * that text
 *
 * In plain C the body runs before any domain; run_domain(f) runs f as the main activity. By default the reactor is the
 * simulated one. In Charcoal C the body is part of the main activity, and the reactor is the simulated one only if
 * tests_simulated has been set.
 */
#ifndef HARNESS_H
#define HARNESS_H

#ifndef _GNU_SOURCE /* C++ compilers define it */
#define _GNU_SOURCE
#endif
#include "charcoal.h"
#include "charcoal_abi.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

struct test {
  const char *name;
  void (*run)(void);
  int status;
  const char *text;
  struct test *next;
};
extern struct test *tests, **last_test;
extern int tests_simulated;

#define TEST_EXITS(id, exit_status, error_text)                                                                        \
  static void id(void);                                                                                                \
  __attribute__((constructor)) static void add_##id(void) {                                                            \
    static struct test t = {#id, id, exit_status, error_text, NULL};                                                   \
    *last_test = &t;                                                                                                   \
    last_test = &t.next;                                                                                               \
  }                                                                                                                    \
  static void id(void)
#define TEST(id) TEST_EXITS(id, 0, NULL)

#define EXPECT(condition)                                                                                              \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                                         \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  while (0)

/* Runs `body` (an interruptible function by hand) as the program's main; returns its result. With BESIDE_A_SOURCE in
 * the environment the domain has a source, in which nothing is ever found: that may change nothing, but that deadlocks
 * are not reported. */
typedef struct ch_int_result main_function(int, char **, char **);
int run_domain(main_function *body);
/* In any environment without. */
int run_domain_alone(main_function *body);

/* The C library's syscall(), also in Charcoal C: nothing of ours stands between, and the domain stops while it waits.
 * The call is plain because it goes through a pointer and takes variable arguments. */
__attribute__((unused)) static long (*const volatile raw_syscall)(long number, ...) = syscall;

/* What happened, in order: note("a1"); EXPECT_NOTES("a1 b1 a2"). */
void note(const char *);
extern char notes[];
#define EXPECT_NOTES(text)                                                                                             \
  do                                                                                                                   \
    if (strcmp(notes, text) != 0) {                                                                                    \
      fprintf(stderr, "%s:%d: expected \"%s\", happened \"%s\"\n", __FILE__, __LINE__, text, notes);                   \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  while (0)

#ifdef __cplusplus
}
#endif

#endif
