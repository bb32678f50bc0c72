// Another module's definition may win, for which this entry does not speak. It is needed also when the address is not
// taken here: calls of a weak function are looked up.
int elsewhere(int);
__attribute__((weak)) int f(int n) { return elsewhere(n); }
// CHECK: @charcoal.version.f = private global { ptr, ptr } { ptr @f.here, ptr @f.int }, section "ch_versions"
// CHECK: @f.here = internal alias i32 (i32), ptr @f
