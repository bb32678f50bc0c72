; A resumption enters between the markers. A local whose lifetime lies between two points keeps them.
declare void @fill(ptr captures(none))
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define void @f.int() "charcoal-version-of"="f" {
  %around = alloca i32
  %between = alloca i32
  call void @llvm.lifetime.start.p0(ptr %around)
  call void @g.int() "charcoal-suspends"
  call void @fill(ptr %around)
  call void @llvm.lifetime.end.p0(ptr %around)
  call void @llvm.lifetime.start.p0(ptr %between)
  call void @fill(ptr %between)
  call void @llvm.lifetime.end.p0(ptr %between)
  call void @g.int() "charcoal-suspends"
  store i32 0, ptr null
  ret void
}
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
; CHECK-LABEL: define i32 @f.int(
; CHECK-NOT: call void @llvm.lifetime{{.*}} %around
; CHECK: call void @fill(ptr %around)
; CHECK-NOT: call void @llvm.lifetime{{.*}} %around
; CHECK: call void @llvm.lifetime.start.p0(ptr %between)
; CHECK: call void @llvm.lifetime.end.p0(ptr %between)
