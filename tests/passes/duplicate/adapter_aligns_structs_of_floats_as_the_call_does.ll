; On AArch64 a struct of floats that does not fit into registers lies on the stack, at its members' alignment. clang
; tells that by an attribute, because the type does not say it.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"
define i32 @f(ptr %p) {
  %r = call i32 %p([2 x double] alignstack(16) zeroinitializer)
  %s = call i32 %p([2 x double] alignstack(8) zeroinitializer)
  %t = call i32 %p([2 x double] zeroinitializer)
  ret i32 %r
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: call ptr @charcoal.version_of(ptr %p, ptr @charcoal.call.i32.A2doublek16)
; CHECK: call ptr @charcoal.version_of(ptr %p, ptr @charcoal.call.i32.A2double)
; CHECK: call ptr @charcoal.version_of(ptr %p, ptr @charcoal.call.i32.A2double)
; CHECK: define linkonce_odr hidden { i32, i32 } @charcoal.call.i32.A2doublek16([2 x double] alignstack(16) %0)
; CHECK: call i32 %{{.*}}([2 x double] alignstack(16) %0)
