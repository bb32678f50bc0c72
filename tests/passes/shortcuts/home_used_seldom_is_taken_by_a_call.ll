; On a way that is seldom taken, functions that all such ways share take a frame and give it back. They know its class by
; its description.
%charcoal.frame_info = type { ptr, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i16, i16, i32, ptr }
@small = constant %charcoal.frame_info { ptr null, ptr null, ptr null, ptr null, ptr null, i32 1, i32 40, i32 8, i32 16, i16 1, i16 0, i32 0, ptr null }
@large = constant %charcoal.frame_info { ptr null, ptr null, ptr null, ptr null, ptr null, i32 1, i32 5000, i32 8, i32 16, i16 1, i16 0, i32 0, ptr null }
declare ptr @ch_frame_new(ptr)
declare void @ch_frame_free(ptr)
declare void @use(ptr)
define void @f.int(i1 %c) {
  br i1 %c, label %rare, label %usual, !prof !0
rare:
  %frame = call ptr @ch_frame_new(ptr @small)
  call void @use(ptr %frame)
  call void @ch_frame_free(ptr %frame)
  ret void
usual:
  ret void
}
!0 = !{!"branch_weights", i32 1, i32 100}
; CHECK-LABEL: define void @f.int(
; CHECK: rare:
; CHECK-NEXT: %frame = call ptr @charcoal.take_frame(ptr @small)
; CHECK-NEXT: call void @use(ptr %frame)
; CHECK-NEXT: call void @charcoal.give_frame(ptr %frame)
; CHECK-NEXT: ret void

; A frame whose class its size does not tell comes from the runtime.
define void @g.int(i1 %c) {
  br i1 %c, label %rare, label %usual, !prof !0
rare:
  %frame = call ptr @ch_frame_new(ptr @large)
  call void @use(ptr %frame)
  call void @ch_frame_free(ptr %frame)
  ret void
usual:
  ret void
}
; CHECK-LABEL: define void @g.int(
; CHECK: rare:
; CHECK-NEXT: %frame = call ptr @ch_frame_new(ptr @large)
; CHECK: call void @ch_frame_free(ptr %frame)

; CHECK-LABEL: define linkonce_odr hidden ptr @charcoal.take_frame(ptr %0)
; CHECK: %[[SIZE:.*]] = load i32, ptr %{{.*}}, align 4, !nosanitize
; CHECK-NEXT: %[[MORE:.*]] = add i32 %[[SIZE]], 15
; CHECK-NEXT: and i32 %[[MORE]], -16
; CHECK: icmp eq ptr %[[FIRST:.*]], null
; CHECK: hit:
; CHECK: ret ptr %[[FIRST]]
; CHECK: miss:
; CHECK-NEXT: %[[NEW:.*]] = tail call ptr @ch_frame_new(ptr %0)
; CHECK-NEXT: ret ptr %[[NEW]]
; CHECK-LABEL: define linkonce_odr hidden void @charcoal.give_frame(ptr %0)
; CHECK: %[[HELD:.*]] = load i32, ptr %{{.*}}, align 4, !nosanitize
; CHECK-NEXT: icmp ne i32 %[[HELD]], 0
; CHECK: hit:
; CHECK: ret void
; CHECK: miss:
; CHECK-NEXT: tail call void @ch_frame_free(ptr %0)
; CHECK-NEXT: ret void
