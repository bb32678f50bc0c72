// The dispatch does not take the labels away.
// OPTIONS: -O2
int elsewhere(int);
int f(int n) {
  static const void *const table[] = {&&one, &&two};
  goto *table[n];
one:
  return elsewhere(1) + 1;
two:
  return elsewhere(2) + 2;
}
// CHECK-DAG: constant [2 x ptr] [ptr blockaddress(@f, %{{.*}}), ptr blockaddress(@f, %{{.*}})]
// CHECK-DAG: constant [2 x ptr] [ptr blockaddress(@f.int, %{{.*}}), ptr blockaddress(@f.int, %{{.*}})]
// CHECK-LABEL: define dso_local { i32, i32 } @f.int(
// CHECK: indirectbr
