; One addition a point, in groups of 16.
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define void @f.int() "charcoal-version-of"="f" {
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  store i32 0, ptr null
  ret void
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: switch i32 %{{.*}}, label %lost [
; CHECK: i32 17, label %
; CHECK-NOT: i32 18
; CHECK-DAG: add i32 %{{.*}}, 136
; CHECK-DAG: add i32 %{{.*}}, 8
; CHECK: {{^}}suspend:
; CHECK-NEXT: %[[WHY:.*]] = phi i32 [ %{{.*}}, %{{.*}} ], [ %{{.*}}, %{{.*}} ]
; CHECK-NEXT: call i32 @ch_suspend_{{[0-9]}}(ptr @charcoal.info, ptr %image, i32 %[[WHY]])
