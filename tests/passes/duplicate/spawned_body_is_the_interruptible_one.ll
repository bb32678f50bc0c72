; A body that cannot be cloned is called by its version.
declare i32 @ch_spawn(ptr, ptr, ptr, i64, i32, ptr) nocallback
declare ptr @llvm.returnaddress(i32)
define void @f(ptr %h) {
  %a = call i32 @ch_spawn(ptr %h, ptr @body, ptr null, i64 0, i32 0, ptr null)
  %b = call i32 @ch_spawn(ptr %h, ptr @refused, ptr null, i64 0, i32 0, ptr null)
  ret void
}
define internal void @body(ptr %record) "charcoal-activity" {
  ret void
}
define internal void @refused(ptr %record) "charcoal-activity" {
  %where = call ptr @llvm.returnaddress(i32 0)
  store ptr %where, ptr %record
  ret void
}
; CHECK-LABEL: define void @f(
; CHECK-NEXT: call i32 @ch_spawn(ptr %h, ptr @body.int,
; CHECK-NEXT: call i32 @ch_spawn(ptr %h, ptr @refused.int,
; CHECK-LABEL: define internal void @refused.int(ptr %0) #
; CHECK-NEXT: call void @refused(ptr %0)
; CHECK-NEXT: ret void
