; Except one that calls nothing back and never blocks, and variadic ones, whose versions have a type of their own.
declare void @elsewhere()
declare void @leaf() nocallback
declare void @variadic(ptr, ...)
define void @f(ptr %p) {
  store ptr @elsewhere, ptr %p
  store ptr @leaf, ptr %p
  store ptr @variadic, ptr %p
  ret void
}
; CHECK: @charcoal.version.elsewhere = private global { ptr, ptr } { ptr @elsewhere, ptr @elsewhere.int }, section "ch_versions"
; CHECK: @llvm.used = appending global [1 x ptr] [ptr @charcoal.version.elsewhere]
; CHECK-NOT: charcoal.version.leaf
; CHECK-NOT: charcoal.version.variadic
; CHECK: declare void @elsewhere.int() #[[A:[0-9]+]]
; CHECK: attributes #[[A]] = { "charcoal-external-version-of"="elsewhere" }
