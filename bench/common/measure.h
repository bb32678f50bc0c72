/* What every benchmark program in C or C++ shares: a clock, resident memory, and the line that it prints.
 *
 * A program is called `program CASE COUNT`. It checks its own answer; if the answer is wrong it says so on stderr,
 * exits with status 1, and prints no figure. Otherwise it prints one line of JSON: {"metric": ..., "value": ...,
 * "unit": ..., "check": "<the answer>"}. The runner compares `check` between systems. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Resident bytes of this process, pages shared with files included. */
static inline double resident_bytes(void) {
  long total, resident = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  if (!statm || fscanf(statm, "%ld %ld", &total, &resident) != 2) {
    fprintf(stderr, "cannot read /proc/self/statm\n");
    exit(1);
  }
  fclose(statm);
  return (double)resident * 4096.0;
}

static inline void expect(unsigned long long answer, unsigned long long expected) {
  if (answer == expected)
    return;
  fprintf(stderr, "wrong answer: %llu, expected %llu\n", answer, expected);
  exit(1);
}

static inline void report(const char *metric, double value, const char *unit, unsigned long long answer) {
  printf("{\"metric\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", \"check\": \"%llu\"}\n", metric, value, unit, answer);
}

/* A time and, if it is not 0, the memory of each activity. */
static inline void report_with_memory(double ns, double bytes, unsigned long long answer) {
  printf("{\"metric\": \"time\", \"value\": %.6g, \"unit\": \"ns\", \"check\": \"%llu\"", ns, answer);
  if (bytes > 0)
    printf(", \"more\": [{\"metric\": \"memory\", \"value\": %.6g, \"unit\": \"bytes/activity\"}]", bytes);
  printf("}\n");
}

static inline const char *argument_case(int argc, char **argv) {
  if (argc == 3)
    return argv[1];
  fprintf(stderr, "usage: %s CASE COUNT\n", argv[0]);
  exit(2);
}

static inline void unknown_case(const char *name) {
  fprintf(stderr, "unknown case '%s'\n", name);
  exit(2);
}

#endif
