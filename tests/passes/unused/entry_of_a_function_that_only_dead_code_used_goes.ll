; A linker would ask for the function, which a plain link does not need.
@charcoal.version.used = private global { ptr, ptr } { ptr @used, ptr @used.int }, section "ch_versions", align 8
@charcoal.version.dead = private global { ptr, ptr } { ptr @dead, ptr @dead.int }, section "ch_versions", align 8
@charcoal.version.here = private global { ptr, ptr } { ptr @here, ptr @here.int }, section "ch_versions", align 8
@llvm.used = appending global [2 x ptr] [ptr @charcoal.version.used, ptr @charcoal.version.dead], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @charcoal.version.here], section "llvm.metadata"
declare void @used()
declare void @used.int()
declare void @dead()
declare void @dead.int()
define void @here() {
  ret void
}
define void @here.int() {
  ret void
}
define void @f(ptr %p) {
  store ptr @used, ptr %p
  ret void
}
; CHECK: @charcoal.version.used =
; CHECK-NOT: @charcoal.version.dead
; CHECK: @charcoal.version.here =
; CHECK: @llvm.used = appending global [1 x ptr] [ptr @charcoal.version.used]
