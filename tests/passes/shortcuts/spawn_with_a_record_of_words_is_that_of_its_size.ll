; A record of up to eight words, and no flags but the one of an activity without a handle: what the size is, and whether
; there is a handle, is in the name of the function. All others stay as they are.
declare i32 @ch_spawn(ptr, ptr, ptr, i64, i32, ptr)
declare i32 @body(ptr)
define void @f(ptr %handle, ptr %record, i32 %flags) {
  call i32 @ch_spawn(ptr null, ptr @body, ptr %record, i64 24, i32 2, ptr null)
  call i32 @ch_spawn(ptr %handle, ptr @body, ptr %record, i64 64, i32 0, ptr null)
  call i32 @ch_spawn(ptr null, ptr @body, ptr null, i64 0, i32 2, ptr null)
  call i32 @ch_spawn(ptr null, ptr @body, ptr %record, i64 72, i32 2, ptr null)
  call i32 @ch_spawn(ptr null, ptr @body, ptr %record, i64 12, i32 2, ptr null)
  call i32 @ch_spawn(ptr null, ptr @body, ptr %record, i64 24, i32 3, ptr null)
  call i32 @ch_spawn(ptr %handle, ptr @body, ptr %record, i64 24, i32 1, ptr null)
  call i32 @ch_spawn(ptr %handle, ptr @body, ptr %record, i64 24, i32 %flags, ptr null)
  ret void
}
; CHECK-LABEL: define void @f(
; CHECK-NEXT: call i32 @ch_spawn_3(ptr @body, ptr %record, ptr null)
; CHECK-NEXT: call i32 @ch_spawn_handle_8(ptr %handle, ptr @body, ptr %record, ptr null)
; CHECK-NEXT: call i32 @ch_spawn_0(ptr @body, ptr null, ptr null)
; CHECK-NEXT: call i32 @ch_spawn(ptr null, ptr @body, ptr %record, i64 72,
; CHECK-NEXT: call i32 @ch_spawn(ptr null, ptr @body, ptr %record, i64 12,
; CHECK-NEXT: call i32 @ch_spawn(ptr null, ptr @body, ptr %record, i64 24, i32 3,
; CHECK-NEXT: call i32 @ch_spawn(ptr %handle, ptr @body, ptr %record, i64 24, i32 1,
; CHECK-NEXT: call i32 @ch_spawn(ptr %handle, ptr @body, ptr %record, i64 24, i32 %flags,
; CHECK-NEXT: ret void
