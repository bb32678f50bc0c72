; The code generator saves a result only where the assembly falls through. One that is used there alone stays a value.
declare void @use(i32)
define void @h.int() "charcoal-version-of"="h" {
  ret void
}
define void @f.int(i32 %x) "charcoal-version-of"="f" {
  %y = callbr i32 asm "", "=r,0,!i"(i32 %x) to label %on [label %jumped]
on:
  call void @use(i32 %y)
  ret void
jumped:
  call void @h.int() "charcoal-suspends"
  call void @use(i32 %y)
  ret void
}
define void @g.int(i32 %x) "charcoal-version-of"="g" {
  %y = callbr i32 asm "", "=r,0,!i"(i32 %x) to label %on [label %jumped]
on:
  call void @use(i32 %y)
  ret void
jumped:
  call void @h.int() "charcoal-suspends"
  ret void
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: %[[Y:.*]] = callbr i32 asm
; CHECK: {{^}}on:
; CHECK: %[[WORD:.*]] = zext i32 %[[Y]] to i64
; CHECK-NEXT: store i64 %[[WORD]], ptr %image, align 8
; CHECK-NEXT: %[[ON:.*]] = load volatile i32, ptr %image
; CHECK-NEXT: call void @use(i32 %[[ON]])
; CHECK: {{^}}jumped:
; CHECK: %[[WORD:.*]] = zext i32 %[[Y]] to i64
; CHECK-NEXT: store i64 %[[WORD]], ptr %image, align 8
; CHECK: call i32 @h.int()
; CHECK: %[[JUMPED:.*]] = load volatile i32, ptr %image
; CHECK-NEXT: call void @use(i32 %[[JUMPED]])
; CHECK-LABEL: define i32 @g.int(
; CHECK: %[[Z:.*]] = callbr i32 asm
; CHECK: call void @use(i32 %[[Z]])
