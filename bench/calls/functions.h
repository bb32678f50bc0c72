/* The functions of paper 001, figures 10 and 11, in one source for Charcoal C and plain C.
 *
 * In plain C `atomic` is defined away before this file is included. `noinline` keeps gcc from unrolling the recursion,
 * which clang does not do, so that every system makes the same number of calls. Arithmetic is unsigned so that it may
 * wrap; the leaf is an affine map, so 2^depth applications of it have a closed form to check against. */
static inline unsigned small_computation(unsigned x) {
  return x * 5 + 3;
}

__attribute__((noinline)) unsigned f(int d, unsigned x) {
  if (d > 0) return f(d - 1, f(d - 1, x));
  return small_computation(x);
}

__attribute__((noinline)) unsigned f4(int d, unsigned x) {
  if (d > 4) return f4(d - 1, f4(d - 1, x));
  if (d > 0) {
    atomic {
      return f4(d - 1, f4(d - 1, x));
    }
  }
  return small_computation(x);
}

__attribute__((noinline)) unsigned f8(int d, unsigned x) {
  if (d > 8) return f8(d - 1, f8(d - 1, x));
  if (d > 0) {
    atomic {
      return f8(d - 1, f8(d - 1, x));
    }
  }
  return small_computation(x);
}

__attribute__((noinline)) unsigned f_atomic(int d, unsigned x) {
  atomic {
    return f(d, x);
  }
}
