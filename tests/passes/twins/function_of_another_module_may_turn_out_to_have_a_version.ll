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
; CHECK: @charcoal.twin.elsewhere = private global { ptr, ptr } { ptr @elsewhere, ptr @elsewhere.int }, section "ch_twins"
; CHECK: @llvm.used = appending global [1 x ptr] [ptr @charcoal.twin.elsewhere]
; CHECK-NOT: charcoal.twin.leaf
; CHECK-NOT: charcoal.twin.variadic
; CHECK: declare void @elsewhere.int() #[[A:[0-9]+]]
; CHECK: attributes #[[A]] = { "charcoal-external-twin"="elsewhere" }
