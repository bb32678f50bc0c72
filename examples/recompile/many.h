/* The same thing done many times, in three ways that differ only in what is suspended by a wait:
 *
 *   compiled by charcoal-cc               n activities in one thread
 *   by another compiler                   one call after the other
 *   by another compiler with -DTHREADS    POSIX threads
 *
 * The functions that are called many times know nothing of this. They call a library's plain blocking functions. */
#ifndef MANY_H
#define MANY_H

/* The arguments of all programs here: PORT [N [AT-A-TIME]]. */
struct many {
  const char *program;
  int port;    /* the port of the server on 127.0.0.1 */
  int n;       /* how often the work is done */
  int at_once; /* how many of them may be under way at a time; n: all */
};

/* Ends the program with a message and status 2 if the arguments are wrong. */
struct many many_arguments(int argc, char **argv);

/* Calls one(&what, i) for each i from 0 to n - 1; it returns whether all its answers were right. Prints a line of
 * figures. Returns the program's exit status: 0 if all answers of all calls were right. */
int many(const struct many *what, int one(const struct many *, int i));

/* Says on standard error what went wrong with number i, printf-like; always 0, for `return`. */
__attribute__((format(printf, 2, 3))) int wrong(int i, const char *format, ...);

#endif
