; The code generator saves a result only where the assembly falls through. One that is used there alone stays a value.
declare void @use(i64)

; CHECK-LABEL: define void @both(
; CHECK: [[SLOT:%.*]] = alloca i64
; CHECK: [[GIVEN:%.*]] = alloca i64
; CHECK: store i64 %x, ptr [[GIVEN]]
; CHECK-NEXT: [[X:%.*]] = load volatile i64, ptr [[GIVEN]]
; CHECK-NEXT: [[Y:%.*]] = callbr i64 asm "", "=r,=*m,0,r,!i"(ptr elementtype(i64) %m, i64 [[X]], i64 %x)
; CHECK: on:
; CHECK-NEXT: store i64 [[Y]], ptr [[SLOT]]
; CHECK-NEXT: [[ON:%.*]] = load volatile i64, ptr [[SLOT]]
; CHECK-NEXT: call void @use(i64 [[ON]])
; CHECK: jumped:
; CHECK-NEXT: store i64 [[Y]], ptr [[SLOT]]
; CHECK-NEXT: [[JUMPED:%.*]] = load volatile i64, ptr [[SLOT]]
; CHECK-NEXT: call void @use(i64 [[JUMPED]])
define void @both(i64 %x, ptr %m) {
  %y = callbr i64 asm "", "=r,=*m,0,r,!i"(ptr elementtype(i64) %m, i64 %x, i64 %x) to label %on [label %jumped]
on:
  call void @use(i64 %y)
  ret void
jumped:
  call void @use(i64 %y)
  ret void
}

; A way that others take, too, gets a block of its own.
; CHECK-LABEL: define void @shared(
; CHECK: [[Y:%.*]] = callbr i64 asm
; CHECK-NEXT: to label %[[FALLS:.*]] [label %[[JUMPS:.*]]]
; CHECK: [[JUMPS]]:
; CHECK-NEXT: store i64 [[Y]], ptr [[SLOT:%.*]], align
; CHECK: [[FALLS]]:
; CHECK-NEXT: store i64 [[Y]], ptr [[SLOT]], align
; CHECK: load volatile i64, ptr [[SLOT]]
define void @shared(i64 %x, i1 %c) {
  br i1 %c, label %asm, label %out
asm:
  %y = callbr i64 asm "", "=r,0,!i"(i64 %x) to label %out [label %out]
out:
  %z = phi i64 [ %y, %asm ], [ %y, %asm ], [ 0, %0 ]
  call void @use(i64 %z)
  ret void
}

; CHECK-LABEL: define void @falls_through(
; CHECK: [[Z:%.*]] = callbr i64 asm "", "=r,0,!i"(i64 %x)
; CHECK: call void @use(i64 [[Z]])
define void @falls_through(i64 %x) {
  %z = callbr i64 asm "", "=r,0,!i"(i64 %x) to label %on [label %jumped]
on:
  call void @use(i64 %z)
  ret void
jumped:
  ret void
}
