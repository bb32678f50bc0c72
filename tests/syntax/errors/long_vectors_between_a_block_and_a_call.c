// Passing a vector of 256 bits takes registers that only the functions' attribute allows.
#include <charcoal.h>

typedef int ints __attribute__((vector_size(32)));
#define FOR_AVX2 __attribute__((target("avx2")))

FOR_AVX2 static ints twice(ints v) { return v + v; }
FOR_AVX2 static void double_all(ints *v) { *v = twice(*v); }

FOR_AVX2 void refused(ints *v) {
  do {
    async { *v = twice(*v); }
  } finish;
}

FOR_AVX2 void allowed(ints *v) {
  do {
    async { double_all(v); }
  } finish;
  activate(v) { *v += *v; };
  *v = twice(*v);
}
