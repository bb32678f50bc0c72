; %twice needs no slot where %x has one.
declare void @use(i32, i32)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define void @f.int(i32 %x) "charcoal-version-of"="f" {
  %twice = shl i32 %x, 1
  call void @use(i32 %twice, i32 %x)
  call void @g.int() "charcoal-suspends"
  call void @use(i32 %twice, i32 %x)
  ret void
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: %image = alloca [8 x i8]
; CHECK: {{^}}after:
; CHECK-NEXT: %[[X:.*]] = load i32, ptr %image
; CHECK-NEXT: %[[TWICE:.*]] = shl i32 %[[X]], 1
; CHECK-NEXT: call void @use(i32 %[[TWICE]], i32 %[[X]])
