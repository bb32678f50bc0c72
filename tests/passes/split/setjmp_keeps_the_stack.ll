; A function that calls setjmp is not divided: a call that was suspended is waited for, and its result comes through
; memory. The way in gives way first where a sibling may have to go on.
declare void @ch_anchor_begin(ptr, ptr)
declare i32 @setjmp(ptr) returns_twice
declare void @ch_anchor_set(ptr, ptr, i32, i32)
declare void @charcoal.yield()
define i32 @g.int(i32 %x) "charcoal-version-of"="g" {
  ret i32 %x
}
define i32 @f.int(ptr %b, i32 %x) "charcoal-version-of"="f" "charcoal-anchored" {
  %anchor = alloca [80 x i8], align 16
  call void @charcoal.yield()
  call void @ch_anchor_begin(ptr %anchor, ptr null)
  %r = call i32 @setjmp(ptr %b) returns_twice
  call void @ch_anchor_set(ptr %anchor, ptr %b, i32 %r, i32 0)
  %a = call i32 @g.int(i32 %x) "charcoal-suspends"
  call void @charcoal.yield()
  %sum = add i32 %a, %r
  ret i32 %sum
}
; CHECK: @charcoal.anchor.info = internal constant %charcoal.frame_info { ptr @ch_anchor_resume, ptr @f.int.anchored,
; CHECK-LABEL: define internal { i32, i32 } @f.int.anchored(
; CHECK: call void @ch_anchor_begin(ptr %anchor, ptr @charcoal.anchor.info)
; CHECK: %r = call i32 @setjmp(ptr %b)
; CHECK-NEXT: call void @ch_anchor_set(
; CHECK: %[[CALL:.*]] = call { i32, i32 } @g.int(i32 %x)
; CHECK: %[[STATUS:.*]] = extractvalue { i32, i32 } %[[CALL]], 0
; CHECK: br i1 %{{.*}}, label %[[WAIT:.*]], label %[[AFTER:.*]], !prof
; CHECK: [[AFTER]]:
; CHECK-NEXT: %a{{.*}} = phi i32 [ %{{.*}}, %{{.*}} ], [ %[[RESULT:.*]], %[[ENDED:.*]] ]
; CHECK: [[WAIT]]:
; CHECK-NEXT: %[[LEFT:.*]] = call i32 @ch_anchor_wait(ptr %anchor, i32 {{[12]}}, i32 %[[STATUS]])
; CHECK-NEXT: icmp ne i32 %[[LEFT]], 0
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: call i32 @ch_anchor_steps_aside()
; CHECK: tail call { i32, i32 } @charcoal.entry.{{.*}}, ptr @f.int.anchored)
