; A body that is only known for inlining lives elsewhere, where it may have no interruptible version.
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
; CHECK-DAG: $inline.int = comdat any
; CHECK-DAG: $grouped.int = comdat any
; CHECK-DAG: define linkonce_odr void @inline.int() {{.*}}comdat
; CHECK-DAG: define linkonce_odr void @grouped.int() {{.*}}comdat
