; Stage middle left no mark: the module comes from -O0, where optnone may be left out (-Xclang -disable-O0-optnone).
declare i1 @llvm.is.constant.i32(i32)
declare void @left_out()
define void @f.int(i32 %n) "charcoal-version-of"="f" {
  %known = call i1 @llvm.is.constant.i32(i32 %n)
  br i1 %known, label %constant, label %end
constant:
  call void @left_out()
  br label %end
end:
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK-NOT: call
; CHECK: ret void
