; Also when the address stands in data. A function that is only called costs nothing.
@data = global { i32, ptr } { i32 1, ptr @in_data }
declare void @elsewhere()
define void @in_data() {
  ret void
}
define void @in_data.int() "charcoal-twin"="in_data" {
  ret void
}
define void @in_code() {
  ret void
}
define void @in_code.int() "charcoal-twin"="in_code" {
  ret void
}
define void @called() {
  ret void
}
define void @called.int() "charcoal-twin"="called" {
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
; CHECK-DAG: @charcoal.twin.in_data = private global { ptr, ptr } { ptr @in_data, ptr @in_data.int }, section "ch_twins", align 8, !associated ![[A:[0-9]+]]
; CHECK-DAG: @charcoal.twin.in_code = private global { ptr, ptr } { ptr @in_code, ptr @in_code.int }, section "ch_twins", align 8, !associated
; CHECK-DAG: @llvm.compiler.used = appending global [2 x ptr]
; CHECK-DAG: @llvm.global_ctors = {{.*}} { i32 101, ptr @charcoal.twins.register, ptr @charcoal.twins.register }
; CHECK-DAG: @llvm.global_dtors = {{.*}} { i32 101, ptr @charcoal.twins.unregister, ptr @charcoal.twins.unregister }
; CHECK-NOT: @charcoal.twin.called
; CHECK-NOT: @charcoal.twin.bounded
; CHECK: define linkonce_odr hidden void @charcoal.twins.register() {{.*}}comdat
; CHECK-NEXT: call void @ch_twins_register(ptr @__start_ch_twins, ptr @__stop_ch_twins)
; CHECK: ![[A]] = !{ptr @in_data}
