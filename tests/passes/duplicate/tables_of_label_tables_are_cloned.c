// Whatever static data leads to a label leads each version to a label of its own, also in a circle.
int elsewhere(int);
struct step { void *label; struct step *next; };
int f(int n) {
  static void *labels[] = {&&one, &&two};
  static void **tables[] = {labels};
  static struct step circle[] = {{&&one, &circle[1]}, {&&two, &circle[0]}};
  goto *(n ? tables[0][n] : circle[0].next->label);
one:
  return elsewhere(1);
two:
  return elsewhere(2);
}
// CHECK-DAG: @f.labels.int = internal global [2 x ptr] [ptr blockaddress(@f.int, %{{.*}}), ptr blockaddress(@f.int, %{{.*}})]
// CHECK-DAG: @f.tables.int = internal global [1 x ptr] [ptr @f.labels.int]
// CHECK-DAG: @f.circle.int = internal global {{.*}}blockaddress(@f.int, {{.*}}@f.circle.int{{.*}}blockaddress(@f.int, {{.*}}@f.circle.int
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK-NOT: @f.{{labels|tables|circle}}{{,| }}
// CHECK: ret i32
