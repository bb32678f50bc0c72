// Law 7 is checked by the runtime where a module that spawns was compiled with checks.
// OPTIONS: -O2 -fcharcoal-checks
// STAGE: outline
#include <charcoal.h>
void g(void);
void f(void) { activate g(); }
// CHECK: @llvm.global_ctors = {{.*}} ptr @charcoal.checks
// CHECK: define internal void @charcoal.checks()
// CHECK-NEXT: store i32 1, ptr @ch_checks
