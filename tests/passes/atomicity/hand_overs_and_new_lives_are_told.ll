; OPTIONS: -charcoal-atomicity
declare i32 @ch_sem_post(ptr)
declare i32 @ch_sem_wait.int(ptr)
declare i32 @ch_activity_wait.int(ptr)
declare void @free(ptr)
declare ptr @malloc(i64)
@x = global i64 0

define ptr @f.int(ptr %s) "charcoal-version-of"="f" {
  store i64 1, ptr @x
  %a = call i32 @ch_sem_post(ptr %s)
  %b = call i32 @ch_sem_wait.int(ptr %s) "charcoal-suspends"
  %c = call i32 @ch_activity_wait.int(ptr %s) "charcoal-suspends"
  call void @free(ptr %s)
  %n = call ptr @malloc(i64 8)
  ret ptr %n
}
; CHECK-LABEL: define ptr @f.int(
; CHECK: call void @ch_atomicity_post(ptr %s)
; CHECK-NEXT: call i32 @ch_sem_post(ptr %s)
; CHECK-NEXT: %b = call i32 @ch_sem_wait.int(ptr %s)
; CHECK-NEXT: call void @ch_atomicity_take(ptr %s, i32 %b)
; CHECK-NEXT: call i32 @ch_activity_wait.int(ptr %s)
; CHECK-NEXT: call void @ch_atomicity_wait(ptr %s, i32 0)
; CHECK-NEXT: call void @ch_atomicity_forget_block(ptr %s)
; CHECK-NEXT: call void @free(ptr %s)
; CHECK-NEXT: %n = call ptr @malloc(i64 8)
; CHECK-NEXT: call void @ch_atomicity_forget_block(ptr %n)
