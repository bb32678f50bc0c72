// The addresses are arguments, and the bundle names them, so that nobody takes the variables for private.
struct ch_scope;
void __charcoal_async(unsigned, struct ch_scope *);
void __charcoal_body(unsigned);
int f(int);
void spawner(struct ch_scope *scope, int a) {
  int x = 1;
  __charcoal_async(7, scope);
#pragma clang __debug captured
  {
    __charcoal_body(7);
    x = f(a);
  }
  f(x);
}
// CHECK-LABEL: define dso_local void @spawner(
// CHECK: call void @spawner.async(ptr %[[X:.*]], ptr %[[A:.*]]) #{{[0-9]+}} [ "charcoal.async"(ptr %{{.*}}, ptr %[[X]], ptr %[[A]]) ]
// CHECK-NOT: __charcoal_
// CHECK: define internal void @spawner.async(ptr %[[XP:.*]], ptr %[[AP:.*]])
// CHECK: load i32, ptr %[[AP]]
// CHECK: store i32 %{{.*}}, ptr %[[XP]]
