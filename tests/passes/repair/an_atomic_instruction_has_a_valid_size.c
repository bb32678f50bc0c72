// clang 22 makes instructions of 1, 24 and 80 bits of these, which the code generator takes and LLVM calls invalid.
// OPTIONS: -O0 -fopenmp

_Bool truth;
_BitInt(24) small;
long double real;

// CHECK-LABEL: define dso_local void @exchange_truth
// CHECK: [[old:%[0-9]+]] = zext i1 {{%.*}} to i8
// CHECK-NEXT: [[new:%[0-9]+]] = zext i1 {{%.*}} to i8
// CHECK-NEXT: cmpxchg ptr @truth, i8 [[old]], i8 [[new]] monotonic monotonic
void exchange_truth(_Bool old, _Bool new) {
#pragma omp atomic compare
  truth = truth == old ? new : truth;
}

// CHECK-LABEL: define dso_local zeroext i1 @exchange_real
// CHECK: [[success:%.*]] = call zeroext i1 @__atomic_compare_exchange(i64 10, ptr @real, {{.*}}, i32 5, i32 5)
// CHECK: insertvalue { i80, i1 } {{%.*}}, i1 [[success]], 1
_Bool exchange_real(long double old, long double new) {
  long double found = old;
#pragma omp atomic compare capture seq_cst
  if (real == old) {
    real = new;
  } else {
    found = real;
  }
  return found == old;
}

// CHECK-LABEL: define dso_local void @largest_small
// CHECK: atomicrmw.start:
// CHECK: [[larger:%.*]] = select i1 {{%.*}}, i24 {{%.*}}, i24 {{%.*}}
// CHECK: store i24 [[larger]], ptr [[place:%.*]],
// CHECK: call zeroext i1 @__atomic_compare_exchange(i64 3, ptr @small, ptr {{%.*}}, ptr [[place]], i32 0, i32 0)
void largest_small(_BitInt(24) value) {
#pragma omp atomic compare
  small = small < value ? value : small;
}

// CHECK-LABEL: define dso_local void @largest_real
// CHECK: call zeroext i1 @__atomic_compare_exchange(i64 10, ptr @real,
void largest_real(long double value) {
#pragma omp atomic compare
  real = real < value ? value : real;
}

// CHECK: declare {{.*}}i1 @__atomic_compare_exchange(i64, ptr, ptr, ptr, i32, i32) #[[attributes:[0-9]+]]
// CHECK: attributes #[[attributes]] = { nocallback nounwind }
