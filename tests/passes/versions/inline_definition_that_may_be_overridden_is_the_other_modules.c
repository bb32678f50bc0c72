// OPTIONS: -O1 -fPIC -fsemantic-interposition
// The body of an `extern inline` function is emitted by another module, and under this option a third one may override
// that. So this module has no version of it, and asks for the one that goes with the linker's choice.
int elsewhere(int);
extern inline __attribute__((gnu_inline)) int f(int n) { return elsewhere(n); }
int caller(int n) { return f(n) + 1; }
int (*address(void))(int) { return f; }
// CHECK-NOT: @f.here
// CHECK: @charcoal.version.f = private global { ptr, ptr } { ptr @f, ptr @f.int }, section "ch_versions"
// CHECK-NOT: @f.here
