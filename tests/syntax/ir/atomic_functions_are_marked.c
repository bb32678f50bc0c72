// Definitions and declarations alike; other annotations stay.
// OPTIONS: -O0
// STAGE: outline
#include <charcoal.h>
atomic int declared(void);
typedef int function(int);
atomic function by_its_type;
static atomic int defined(int x) { return x + declared() + by_its_type(x); }
__attribute__((annotate("other"))) int f(void) { return defined(2); }
// CHECK: @llvm.global.annotations = {{.*}} [1 x {{.*}} { ptr @f,
// CHECK: define dso_local i32 @f() #[[PLAIN:[0-9]+]]
// CHECK: define internal i32 @defined({{.*}}) #[[DEFINED:[0-9]+]]
// CHECK: declare i32 @declared() #[[DECLARED:[0-9]+]]
// CHECK: declare i32 @by_its_type({{.*}}) #[[DECLARED]]
// CHECK-NOT: attributes #[[PLAIN]] = {{.*}}"charcoal-atomic"
// CHECK: attributes #[[DEFINED]] = {{.*}}"charcoal-atomic"
// CHECK: attributes #[[DECLARED]] = {{.*}}"charcoal-atomic"
