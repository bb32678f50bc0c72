; What is passed in general registers is saved as three or six whole registers, whatever its types are. The thunk of three
; gets the function as its fourth argument, the others in ch_tls.entry. An argument or a result elsewhere has a thunk of
; its signature.
define i32 @few.int(ptr %p, i8 zeroext %c) "charcoal-version-of"="few" {
  ret i32 1
}
define void @none.int() "charcoal-version-of"="none" {
  ret void
}
define ptr @more.int(i64 %a, ptr %b, i16 signext %c, i1 %d) "charcoal-version-of"="more" {
  ret ptr %b
}
define i32 @real.int(double %x) "charcoal-version-of"="real" {
  ret i32 1
}
define double @half.int(i32 %x) "charcoal-version-of"="half" {
  ret double 1.0
}
define void @many.int(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) "charcoal-version-of"="many" {
  ret void
}
; CHECK-LABEL: @few.int(
; CHECK: tail call { i32, i32 } @charcoal.entry.handed.i64.i64i64i64(ptr %p, i8 zeroext %c, i64 poison, ptr @few.int)
; CHECK-LABEL: @none.int(
; CHECK: tail call i32 @charcoal.entry.handed.i64.i64i64i64(i64 poison, i64 poison, i64 poison, ptr @none.int)
; CHECK-LABEL: @more.int(
; CHECK: store ptr @more.int, ptr
; CHECK-NEXT: musttail call { i32, ptr } @charcoal.entry.i64.i64i64i64i64i64i64(i64 %a, ptr %b, i16 signext %c, i1 %d)
; CHECK-LABEL: @real.int(
; CHECK: musttail call { i32, i32 } @charcoal.entry.i32.double(double %x)
; CHECK-LABEL: @half.int(
; CHECK: musttail call { i32, double } @charcoal.entry.double.i32(i32 %x)
; CHECK-LABEL: @many.int(
; CHECK: musttail call i32 @charcoal.entry.void.i64i64i64i64i64i64i64(
; CHECK: define linkonce_odr hidden { i32, i64 } @charcoal.entry.handed.i64.i64i64i64(i64 %0, i64 %1, i64 %2, ptr %3)
; CHECK: define linkonce_odr hidden i32 @charcoal.reenter.i64.i64i64i64(
; CHECK: call { i32, i64 } %{{.*}}(i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}})
; CHECK: store i64
; CHECK-NOT: @charcoal.entry.i32.p0i8
