; A body that is only known for inlining lives elsewhere, where it may have no interruptible version. This module's own is
; not shared, because it may be compiled for another processor. That of a definition which the program shares is.
$grouped = comdat any
declare void @elsewhere()
define available_externally void @inline() {
  call void @elsewhere()
  ret void
}
define linkonce_odr void @grouped() comdat {
  call void @elsewhere()
  ret void
}
; CHECK-NOT: $inline.int
; CHECK-DAG: $grouped.int = comdat any
; CHECK-DAG: define internal void @inline.int()
; CHECK-DAG: define linkonce_odr void @grouped.int() {{.*}}comdat
