; A by-value argument is copied by the callee, but lives in our image; a local whose address got out may be used in the call.
declare void @remember(ptr)
define void @g.int(ptr byval([16 x i8]) %s) "charcoal-version-of"="g" {
  ret void
}
define void @h.int() "charcoal-version-of"="h" {
  ret void
}
define void @byval.int(ptr %s) "charcoal-version-of"="byval" {
  call void @g.int(ptr byval([16 x i8]) %s) "charcoal-suspends"
  ret void
}
define void @escaped.int() "charcoal-version-of"="escaped" {
  %local = alloca i32
  call void @remember(ptr %local)
  call void @h.int() "charcoal-suspends"
  ret void
}
define void @unoptimised.int() "charcoal-version-of"="unoptimised" noinline optnone {
  call void @h.int() "charcoal-suspends"
  ret void
}
; CHECK-LABEL: define i32 @byval.int(
; CHECK: ch_restore
; CHECK-LABEL: define i32 @escaped.int(
; CHECK: ch_restore
; CHECK-LABEL: define i32 @unoptimised.int(
; CHECK: ch_restore
