; Another module's plain definition may have won, and may have no version.
define weak i32 @f(i32 %x) {
  ret i32 %x
}
define weak i32 @f.int(i32 %x) "charcoal-version-of"="f" {
  ret i32 %x
}
; CHECK: @f.here = internal alias i32 (i32), ptr @f
; CHECK: define internal { i32, i32 } @f.int.here(i32 %x)
; CHECK: define weak { i32, i32 } @f.int(i32 %0)
; CHECK-NEXT: icmp eq ptr @f, @f.here
; CHECK: musttail call { i32, i32 } @f.int.here(i32 %0)
; CHECK: call i32 @f(i32 %0)
; CHECK: ret
