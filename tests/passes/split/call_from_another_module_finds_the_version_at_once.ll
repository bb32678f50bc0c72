; Another module calls charcoal.direct.f.…, which is this version, without asking. Not so of a function that another
; module's may come before: one that is weak, or not of this program alone.
; CHECK-NOT: @charcoal.direct.weak
; CHECK-NOT: @charcoal.direct.shared
; CHECK-NOT: @charcoal.direct.local
; CHECK: @charcoal.direct.f.i32.i32 = hidden alias { i32, i32 } (i32), ptr @f.int
define dso_local i32 @f.int(i32 %x) "charcoal-version-of"="f" {
  ret i32 %x
}
define weak dso_local i32 @weak.int(i32 %x) "charcoal-version-of"="weak" {
  ret i32 %x
}
define i32 @shared.int(i32 %x) "charcoal-version-of"="shared" {
  ret i32 %x
}
define internal i32 @local.int(i32 %x) "charcoal-version-of"="local" {
  ret i32 %x
}
