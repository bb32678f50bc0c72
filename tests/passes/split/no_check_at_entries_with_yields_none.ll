; OPTIONS: -charcoal-yields=none
define void @leaf.int() "charcoal-version-of"="leaf" {
  ret void
}
define void @f.int() "charcoal-version-of"="f" {
  call void @leaf.int() "charcoal-suspends"
  call void @leaf.int() "charcoal-suspends"
  ret void
}
; CHECK-NOT: charcoal.entry
; CHECK-LABEL: define i32 @leaf.int(
; CHECK-NOT: volatile
; CHECK: ret i32 0
; CHECK-LABEL: define i32 @f.int(
; CHECK: load volatile i32
; CHECK: {{^}}cold:
; CHECK: br i1 %{{.*}}, label %dispatch, label %[[BODY:[0-9]+]]
; CHECK-NOT: charcoal.entry
