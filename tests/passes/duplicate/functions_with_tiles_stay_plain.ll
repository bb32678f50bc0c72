; OPTIONS: -charcoal-remarks
; A value of AMX's type cannot be saved, and inlining brings none into an interruptible function.
declare void @elsewhere()
declare x86_amx @llvm.x86.tilezero.internal(i16, i16)
declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)

; CHECK-DAG: remark: in 'direct': 'direct' has only a plain version: it has values that cannot be saved [-Rcharcoal]
; CHECK-DAG: remark: in 'by_inlining': 'by_inlining' has only a plain version: it has values that cannot be saved [-Rcharcoal]
; CHECK-NOT: remark: in 'caller'
; CHECK: define void @direct(ptr %p) #[[KEPT_OUT:[0-9]+]]
define void @direct(ptr %p) {
  call void @elsewhere()
  %t = call x86_amx @llvm.x86.tilezero.internal(i16 4, i16 4)
  call void @llvm.x86.tilestored64.internal(i16 4, i16 4, ptr %p, i64 4, x86_amx %t)
  ret void
}
define void @inlined(ptr %p) alwaysinline {
  %t = call x86_amx @llvm.x86.tilezero.internal(i16 4, i16 4)
  call void @llvm.x86.tilestored64.internal(i16 4, i16 4, ptr %p, i64 4, x86_amx %t)
  ret void
}
; CHECK: define void @by_inlining(ptr %p) #[[KEPT_OUT]]
define void @by_inlining(ptr %p) {
  call void @elsewhere()
  call void @inlined(ptr %p)
  ret void
}
define void @caller(ptr %p) {
  call void @elsewhere()
  call void @direct(ptr %p)
  ret void
}
; CHECK-DAG: define void @caller.int(ptr %p)
; CHECK-DAG: attributes #[[KEPT_OUT]] = { noinline }
