// They are made for its processor, with its sanitizers and for its size. That it never returns is not about its code.
// OPTIONS: -O1 -fsanitize=address,undefined -fstack-protector-all
// STAGE: outline
#include <charcoal.h>
__attribute__((target("sse4.2"), no_sanitize("address", "undefined"), no_stack_protector, minsize, noreturn)) void
special(int *p) {
  do { async { *p = __builtin_ia32_crc32si(*p, 5) + *p; } } finish;
  activate (p) {
    do { async { *p = __builtin_ia32_crc32si(*p, 6) + *p; } } finish;
    *p = __builtin_ia32_crc32si(*p, 7) + *p;
  }
  for (;;) ;
}
__attribute__((optnone)) void ordinary(int *p) {
  do { async { *p += 8; } } finish;
}
// CHECK-LABEL: define internal void @special.activity(
// CHECK-SAME: #[[ACTIVITY:[0-9]+]]
// CHECK-NOT: ubsan
// CHECK-LABEL: define dso_local void @ordinary(
// CHECK-LABEL: define internal void @special.async(
// CHECK-SAME: #[[SPECIAL:[0-9]+]]
// CHECK-NOT: ubsan
// CHECK-LABEL: define internal void @special.async.{{[0-9]+}}(
// CHECK-SAME: #[[SPECIAL]]
// CHECK-NOT: ubsan
// CHECK-LABEL: define internal void @ordinary.async(
// CHECK-SAME: #[[ORDINARY:[0-9]+]]
// CHECK: call void @__ubsan_handle
// CHECK-DAG: attributes #[[ACTIVITY]] = { minsize nosanitize_bounds nounwind uwtable "charcoal-activity" {{.*}}+sse4.2
// CHECK-DAG: attributes #[[SPECIAL]] = { minsize nosanitize_bounds nounwind uwtable "min{{.*}}+sse4.2
// CHECK-DAG: attributes #[[ORDINARY]] = { noinline nounwind optnone sanitize_address sspreq {{.*}}+sse2,
