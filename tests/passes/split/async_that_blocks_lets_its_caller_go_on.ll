; Blocked: the callee's chain becomes a branch, and we go on. Paused: we are saved too, at the first point.
declare void @remember(ptr)
declare void @sync()
define void @g.int(ptr %p) "charcoal-version-of"="g" {
  call void @sync()
  ret void
}
define void @f.int() "charcoal-version-of"="f" {
  %scope = alloca [128 x i8]
  call void @remember(ptr %scope)
  call void @g.int(ptr null) "charcoal-suspends"
  call void @g.int(ptr %scope) "charcoal-suspends" [ "charcoal.async"(ptr %scope) ]
  call void @sync()
  ret void
}
; CHECK: @charcoal.info = internal constant %charcoal.frame_info { {{.*}}, i32 2, i32 160, i32 8, i32 16, i16 1, i16 1, i32 0, ptr null }
; CHECK-LABEL: define i32 @f.int(
; CHECK: {{^}}after1:
; CHECK: %[[STATUS:.*]] = call i32 @g.int(ptr %{{.*}})
; CHECK-NEXT: %[[STOPPED:.*]] = icmp ne i32 %[[STATUS]], 0
; CHECK-NEXT: br i1 %[[STOPPED]], label %async.stopped, label %[[ON:.*]], !prof
; CHECK: {{^}}async.stopped:
; CHECK-NEXT: %[[BLOCKED:.*]] = icmp eq i32 %[[STATUS]], 1
; CHECK-NEXT: br i1 %[[BLOCKED]], label %async.blocked, label %async.paused
; CHECK: {{^}}async.blocked:
; CHECK: call void @ch_async_branch(ptr %{{.*}})
; CHECK-NEXT: br label %[[ON]]
; CHECK: {{^}}async.paused:
; CHECK-NEXT: call void @ch_async_pause()
; CHECK-NEXT: br label %[[SUSPENDING:.*]]
; CHECK: {{^}}async.resumed:
; CHECK: call void @ch_async_resumed(ptr %{{.*}})
; CHECK-NEXT: br label %[[ON]]
; CHECK: switch i32 %{{.*}}, label %lost [
; CHECK-NEXT: i32 1, label %[[RESTORED:.*]]
; CHECK: {{^}}[[RESTORED]]:
; CHECK-NEXT: br label %async.resumed
