; How va_list is laid out is known for x86-64 Linux.
; OPTIONS: -charcoal-remarks
target triple = "aarch64-unknown-linux-gnu"
declare void @elsewhere()
define void @f(i32 %n, ...) {
  call void @elsewhere()
  ret void
}
; CHECK: remark: in 'f': 'f' has only a plain version: it takes a variable number of arguments [-Rcharcoal]
; CHECK-NOT: @f.int
