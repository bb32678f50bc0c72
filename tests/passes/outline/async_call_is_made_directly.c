// A body that only calls needs no function of its own. One whose call has something to do afterwards does.
// OPTIONS: -O1
struct ch_scope;
void __charcoal_async(unsigned, struct ch_scope *);
void __charcoal_body(unsigned);
int f(int, int *);
void spawner(struct ch_scope *scope, int *p) {
  __charcoal_async(7, scope);
#pragma clang __debug captured
  {
    __charcoal_body(7);
    f(*p + 1, p);
  }
}
// CHECK-LABEL: define dso_local void @spawner(
// CHECK: %[[N:.*]] = add nsw i32 %{{.*}}, 1
// CHECK: call i32 @f(i32 noundef %[[N]], ptr noundef %[[P:.*]]) #{{[0-9]+}} [ "charcoal.async"(ptr %{{.*}}, ptr %[[P]]) ]
// CHECK-NOT: define internal
