// Definitions and declarations alike; other annotations stay.
// OPTIONS: -O0
// STAGE: outline
#include <charcoal.h>
atomic int declared(void);
static atomic int defined(int x) { return x + declared(); }
__attribute__((annotate("other"))) int f(void) { return defined(2); }
// CHECK: @llvm.global.annotations = {{.*}} [1 x {{.*}} { ptr @f,
// CHECK: define dso_local i32 @f() #[[PLAIN:[0-9]+]]
// CHECK: define internal i32 @defined({{.*}}) #[[DEFINED:[0-9]+]]
// CHECK: declare i32 @declared() #[[DECLARED:[0-9]+]]
// CHECK-NOT: attributes #[[PLAIN]] = {{.*}}"charcoal-atomic"
// CHECK: attributes #[[DEFINED]] = {{.*}}"charcoal-atomic"
// CHECK: attributes #[[DECLARED]] = {{.*}}"charcoal-atomic"
