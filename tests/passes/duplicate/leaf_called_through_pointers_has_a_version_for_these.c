// OPTIONS: -O2
// Calls by name stay plain. The version returns soon, so it needs no check.
static int leaf(int x) { return x + 1; }
int (*pointer)(int) = leaf;
int g(void);
int by_name(int x) { return g() + leaf(x); }
// CHECK-LABEL: define {{.*}} @leaf.int(i32
// CHECK-SAME: #[[VERSION:[0-9]+]]
// CHECK-NOT: call void @charcoal.yield()
// CHECK-LABEL: define {{.*}} @by_name.int(i32
// CHECK: call i32 @leaf(i32
// CHECK: attributes #[[VERSION]] = {{.*}} "charcoal-bounded" {{.*}}"charcoal-version-of"="leaf"
