; As in plain C. The block of arguments is in use for the call alone, and only the optimiser needs to know that.
declare void @llvm.va_start.p0(ptr)
declare void @elsewhere()
define void @reads(i32 %n, ...) {
  %list = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %list)
  call void @elsewhere()
  ret void
}
define void @ignores(i32 %n, ...) {
  call void @elsewhere()
  ret void
}
define void @f() {
  call void (i32, ...) @reads(i32 1, i32 2)
  call void (i32, ...) @ignores(i32 1, i32 2)
  ret void
}
define void @unoptimised() noinline optnone {
  call void (i32, ...) @reads(i32 1, i32 2)
  ret void
}
; CHECK-LABEL: define void @reads.variadic.int(
; CHECK-SAME: #[[READS:[0-9]+]]
; CHECK-LABEL: define void @ignores.variadic.int(
; CHECK-SAME: #[[IGNORES:[0-9]+]]
; CHECK-LABEL: define void @f.int(
; CHECK: call void @llvm.lifetime.start.p0(ptr %variable_arguments)
; CHECK: store
; CHECK: call void @reads.variadic.int(
; CHECK-NEXT: call void @llvm.lifetime.end.p0(ptr %variable_arguments)
; CHECK: call void @ignores.variadic.int(
; CHECK-LABEL: define void @unoptimised.int(
; CHECK-NOT: lifetime
; CHECK: call void @reads.variadic.int(
; CHECK: attributes #[[READS]] = { noinline
; CHECK-NOT: attributes #[[IGNORES]] = { noinline
