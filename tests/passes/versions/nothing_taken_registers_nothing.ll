@llvm.used = appending global [1 x ptr] [ptr @f], section "llvm.metadata"
define void @f() {
  call void @f()
  ret void
}
define void @f.int() "charcoal-version-of"="f" {
  call void @f.int() "charcoal-suspends"
  ret void
}
; CHECK-NOT: ch_versions
