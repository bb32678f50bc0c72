/* Tame's microbenchmarks (paper 004, figures 7 to 9). A program does COUNT calls, or turns of a loop, in pieces. The
 * line has the fastest, the middle and the mean piece, as the paper's figure 8 has. */
#ifndef BENCH_TWAIT_PIECES_H
#define BENCH_TWAIT_PIECES_H

#include "../common/measure.h"

static double *pieces;
static unsigned long number_of_pieces;

static inline int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void report_pieces(unsigned long size, unsigned long answer, unsigned long expected) {
  double sum = 0;
  expect(answer, expected);
  qsort(pieces, number_of_pieces, sizeof *pieces, by_size);
  for (unsigned long i = 0; i < number_of_pieces; i++)
    sum += pieces[i];
  double each = 1.0 / (double)size;
  printf("{\"metric\": \"time\", \"value\": %.6g, \"unit\": \"ns\", \"check\": \"%lu\", \"more\": ["
         "{\"metric\": \"median\", \"value\": %.6g, \"unit\": \"ns\"}, "
         "{\"metric\": \"mean\", \"value\": %.6g, \"unit\": \"ns\"}]}\n",
         pieces[0] * each, answer, pieces[number_of_pieces / 2] * each, sum / (double)number_of_pieces * each);
}

struct work {
  const char *name; /* the CASE; NULL ends the list */
  void (*run)(unsigned long n);
  unsigned long piece; /* how many make a piece */
};

/* The whole of a program: runs the work that is asked for, and reports. *done is how many it has done. */
static inline void run_work(int argc, char **argv, const struct work *work, const unsigned long *done) {
  const char *name = argument_case(argc, argv);
  while (work->name && strcmp(name, work->name))
    work++;
  if (!work->name)
    unknown_case(name);
  number_of_pieces = strtoul(argv[2], NULL, 10) / work->piece;
  pieces = calloc(number_of_pieces + 1, sizeof *pieces);
  for (unsigned long i = 0; i < number_of_pieces; i++) {
    double begin = now_ns();
    work->run(work->piece);
    pieces[i] = now_ns() - begin;
  }
  report_pieces(work->piece, *done, number_of_pieces * work->piece);
}

#endif
