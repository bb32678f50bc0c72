// OPTIONS: -O0 -g
void g(void);
void f(void) {
  g();

  g();
}
// CHECK-DAG: @charcoal.lines = private unnamed_addr constant [2 x i32] [i32 4, i32 6]
// CHECK-DAG: @charcoal.text{{.*}}lines_of_points_are_described.c\00"
// CHECK-DAG: @charcoal.info = {{.*}} ptr @charcoal.lines, i32 2,
