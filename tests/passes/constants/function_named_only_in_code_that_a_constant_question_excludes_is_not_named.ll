; Nothing names @left_out any more. The answer for the optimised function is left to the optimizer of a link.
declare i1 @llvm.is.constant.i32(i32)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare void @left_out()
declare void @other()
define void @f.int(i32 %n, ptr %p) noinline optnone "charcoal-version-of"="f" {
  %known = call i1 @llvm.is.constant.i32(i32 %n)
  br i1 %known, label %constant, label %size
constant:
  call void @left_out()
  br label %size
size:
  %bytes = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 true, i1 false)
  %small = icmp ult i64 %bytes, 8
  br i1 %small, label %tooSmall, label %end
tooSmall:
  call void @left_out()
  br label %end
end:
  call void @other()
  ret void
}
define i1 @optimised(i32 %n) {
  %known = call i1 @llvm.is.constant.i32(i32 %n)
  ret i1 %known
}
!charcoal.middle = !{}
; CHECK-LABEL: define void @f.int(
; CHECK-NOT: @left_out
; CHECK: call void @other()
; CHECK-LABEL: define i1 @optimised(
; CHECK: call i1 @llvm.is.constant.i32(i32 %n)
