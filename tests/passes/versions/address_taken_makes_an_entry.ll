; Also when the address stands in data. A function that is only called costs nothing.
@data = global { i32, ptr } { i32 1, ptr @in_data }
declare void @elsewhere()
define void @in_data() {
  ret void
}
define void @in_data.int() "charcoal-version-of"="in_data" {
  ret void
}
define void @in_code() {
  ret void
}
define void @in_code.int() "charcoal-version-of"="in_code" {
  ret void
}
define void @called() {
  ret void
}
define void @called.int() "charcoal-version-of"="called" {
  ret void
}
define void @bounded() {
  ret void
}
define void @f(ptr %p) {
  store ptr @in_code, ptr %p
  store ptr @bounded, ptr %p
  call void @called()
  ret void
}
; CHECK-DAG: @charcoal.version.in_data = private global { ptr, ptr } { ptr @in_data, ptr @in_data.int }, section "ch_versions", align 8, !associated ![[A:[0-9]+]]
; CHECK-DAG: @charcoal.version.in_code = private global { ptr, ptr } { ptr @in_code, ptr @in_code.int }, section "ch_versions", align 8, !associated
; CHECK-DAG: @llvm.compiler.used = appending global [2 x ptr]
; CHECK-DAG: @llvm.global_ctors = {{.*}} { i32 101, ptr @charcoal.versions.register, ptr @charcoal.versions.register }
; CHECK-DAG: @llvm.global_dtors = {{.*}} { i32 101, ptr @charcoal.versions.unregister, ptr @charcoal.versions.unregister }
; CHECK-NOT: @charcoal.version.called
; CHECK-NOT: @charcoal.version.bounded
; CHECK: define linkonce_odr hidden void @charcoal.versions.register() {{.*}}comdat
; CHECK-NEXT: call void @ch_versions_register(ptr @__start_ch_versions, ptr @__stop_ch_versions)
; CHECK: ![[A]] = !{ptr @in_data}
