; clang passes the address of a member with __attribute__((annotate)) through an intrinsic, which returns it.
@text = private constant [2 x i8] c"m\00", section "llvm.metadata"
declare ptr @llvm.ptr.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)
declare void @keep(ptr)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int() "charcoal-version-of"="f" {
  %local = alloca [4 x i32]
  %member = getelementptr [4 x i32], ptr %local, i64 0, i64 1
  %p = call ptr @llvm.ptr.annotation.p0.p0(ptr %member, ptr @text, ptr @text, i32 1, ptr null)
  store i32 7, ptr %p
  call void @g.int() "charcoal-suspends"
  %v = load i32, ptr %p
  ret i32 %v
}
define void @lent.int() "charcoal-version-of"="lent" {
  %local = alloca [4 x i32]
  %p = call ptr @llvm.ptr.annotation.p0.p0(ptr %local, ptr @text, ptr @text, i32 1, ptr null)
  call void @keep(ptr %p)
  call void @g.int() "charcoal-suspends"
  ret void
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: ch_frame_new
; CHECK-LABEL: define i32 @lent.int(
; CHECK: ch_frame_new
; CHECK-NOT: tail call
; CHECK: ret i32 0
