// Each version jumps to labels of its own.
int elsewhere(int);
int f(int n) {
  static const void *const table[] = {&&one, &&two};
  goto *table[n];
one:
  return elsewhere(1);
two:
  return elsewhere(2);
}
// CHECK-DAG: @f.table = internal constant [2 x ptr] [ptr blockaddress(@f, %{{.*}}), ptr blockaddress(@f, %{{.*}})]
// CHECK-DAG: @f.table.int = internal constant [2 x ptr] [ptr blockaddress(@f.int, %{{.*}}), ptr blockaddress(@f.int, %{{.*}})]
// CHECK-LABEL: define dso_local i32 @f(
// CHECK: getelementptr {{.*}}@f.table,
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: getelementptr {{.*}}@f.table.int,
