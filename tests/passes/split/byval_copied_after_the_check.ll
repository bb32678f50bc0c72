; What the caller passes is its own: the callee copies it once it begins, not when it is resumed (the pointer is not there then).
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int(ptr byval(i32) align 4 %s) "charcoal-version-of"="f" {
  call void @g.int() "charcoal-suspends"
  %v = load i32, ptr %s
  ret i32 %v
}
; CHECK: define { i32, i32 } @f.int(ptr %s)
; CHECK: br i1 %{{.*}}, label %cold, label %[[BODY:.*]], !prof
; CHECK: {{^}}[[BODY]]:
; CHECK-NEXT: call void @llvm.memcpy{{.*}}(ptr align 4 %image, ptr align 4 %s, i64 4
; CHECK: {{^}}after:
; CHECK-NEXT: load i32, ptr %image
