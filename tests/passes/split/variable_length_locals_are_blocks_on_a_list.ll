; The stack pointer is a position in the list; all are released at the return.
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @use(ptr)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define void @f.int(i32 %n) "charcoal-version-of"="f" {
  %mark = call ptr @llvm.stacksave.p0()
  %array = alloca i64, i32 %n, align 32
  call void @g.int() "charcoal-suspends"
  call void @use(ptr %array)
  call void @llvm.stackrestore.p0(ptr %mark)
  ret void
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: store ptr null, ptr %{{.*}}, align 8
; CHECK: %[[MARK:.*]] = load ptr, ptr
; CHECK-NEXT: store ptr %[[MARK]], ptr %[[MARK_SLOT:.*]], align 8
; CHECK: %[[COUNT:.*]] = zext i32 %n to i64
; CHECK-NEXT: %[[SIZE:.*]] = mul i64 %[[COUNT]], 8
; CHECK: %[[BLOCK:.*]] = call ptr @ch_alloca(ptr %{{.*}}, i64 %[[SIZE]], i64 32)
; CHECK-NEXT: store ptr %[[BLOCK]], ptr %[[SLOT:.*]], align 8
; CHECK: {{^}}after:
; CHECK: %[[AGAIN:.*]] = load ptr, ptr %[[SLOT]]
; CHECK: call void @use(ptr %[[AGAIN]])
; CHECK: %[[OLD:.*]] = load ptr, ptr %[[MARK_SLOT]]
; CHECK: call void @ch_alloca_release(ptr %{{.*}}, ptr %[[OLD]])
; CHECK: call void @ch_alloca_release(ptr %{{.*}}, ptr null)
; CHECK: ret i32 0
