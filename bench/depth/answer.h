/* The arithmetic that the C and C++ programs share. */
/* What a call at `depth` makes of the result of the call below it: not associative, so that no compiler can turn the
 * recursion into a loop. */
static inline unsigned long deeper(unsigned long below) { return (below ^ 1) + 2; }

/* The answer of `depth` calls, the innermost of which counts to `count`. */
static inline unsigned long answer_of(int depth, unsigned long count) {
  while (--depth > 0)
    count = deeper(count);
  return count;
}
