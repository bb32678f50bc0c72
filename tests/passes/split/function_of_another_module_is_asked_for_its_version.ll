; The version is weak: where no module defines it, the plain function is called after a check. The module that defines
; it, if it is linked into the same program, takes the place of the weak name that is called.
declare i32 @g.int(i32) "charcoal-external-version-of"="g"
define i32 @f.int(i32 %x) "charcoal-version-of"="f" {
  %r = call i32 @g.int(i32 %x) "charcoal-suspends"
  %s = add i32 %r, 1
  ret i32 %s
}
; CHECK: @charcoal.direct.g.i32.i32 = weak hidden alias { i32, i32 } (i32), ptr @charcoal.external.g.i32.i32
; CHECK: declare extern_weak i32 @g.int(i32)
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: call { i32, i32 } @charcoal.direct.g.i32.i32(i32 %x)
; CHECK: define linkonce_odr hidden { i32, i32 } @charcoal.external.g.i32.i32(i32 %0)
; CHECK: icmp ne ptr @g.int, null
; CHECK: musttail call { i32, i32 } @g.int(i32 %0)
; CHECK: load volatile i32
; CHECK: tail call { i32, i32 } @charcoal.entry.handed.i64.i64i64i64(i32 %0, i64 poison, i64 poison, ptr @charcoal.external.g.i32.i32)
; CHECK: %[[R:.*]] = call i32 @g(i32 %0)
; CHECK-NEXT: insertvalue { i32, i32 } { i32 0, i32 poison }, i32 %[[R]], 1
