; The frame is taken in the rare block. Before that the activation is saved without it: the slot holds null until then.
declare void @remember(ptr)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int(i1 %rare) "charcoal-version-of"="f" {
  %local = alloca i32
  call void @g.int() "charcoal-suspends"
  br i1 %rare, label %unusual, label %end, !prof !0
unusual:
  call void @remember(ptr %local)
  call void @g.int() "charcoal-suspends"
  %v = load i32, ptr %local
  br label %end
end:
  %r = phi i32 [ 0, %0 ], [ %v, %unusual ]
  ret i32 %r
}
!0 = !{!"branch_weights", i32 1, i32 1000}
; CHECK: @charcoal.info = internal constant %charcoal.frame_info { {{.*}}, i16 0, i16 0, i32 {{[1-9][0-9]*}}, ptr null }
; CHECK: @charcoal.info.1 = internal constant %charcoal.frame_info { {{.*}}, i16 1, i16 0, i32 0, ptr null }
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK-NOT: @ch_frame_new
; CHECK: store ptr null, ptr %image
; CHECK: {{^}}unusual:
; CHECK-NEXT: %frame = call preserve_mostcc ptr @ch_frame_new(ptr @charcoal.info.1)
; CHECK-NEXT: store ptr %frame, ptr %image
; CHECK: {{^}}end:
; CHECK: %[[TAKEN:.*]] = load ptr, ptr %image
; CHECK-NEXT: %[[IS:.*]] = icmp ne ptr %[[TAKEN]], null
; CHECK-NEXT: br i1 %[[IS]], label %[[GIVE:.*]], label %
; CHECK: [[GIVE]]:
; CHECK-NEXT: call preserve_mostcc void @ch_frame_free(ptr %[[TAKEN]])
; Its frame may be either, so what gives it back asks which.
; CHECK: call { i64, i64 } @ch_restore(ptr %image)
; CHECK: {{^}}suspend:
; CHECK: call i32 @ch_suspend_home_2(ptr %{{.*}}, ptr %image, i32 %{{.*}})
; CHECK: call i32 @ch_suspend_2(ptr @charcoal.info, ptr %image, i32 %{{.*}})

; Of two rare blocks the second asks whether the first has taken the frame. One in a loop is left to the way there.
define void @twice.int(i1 %a, i1 %b, i1 %c) "charcoal-version-of"="twice" {
  %local = alloca i32
  br i1 %a, label %first, label %between, !prof !0
first:
  call void @remember(ptr %local)
  br label %between
between:
  call void @g.int() "charcoal-suspends"
  br i1 %b, label %second, label %end, !prof !0
second:
  br label %loop
loop:
  call void @remember(ptr %local)
  call void @g.int() "charcoal-suspends"
  br i1 %c, label %loop, label %end
end:
  ret void
}
; CHECK-LABEL: define i32 @twice.int(
; CHECK: {{^}}first:
; CHECK-NEXT: call preserve_mostcc ptr @ch_frame_new(
; CHECK: {{^}}second:
; CHECK-NEXT: %[[KNOWN:.*]] = load ptr, ptr %image
; CHECK-NEXT: %[[NONE:.*]] = icmp eq ptr %[[KNOWN]], null
; CHECK-NEXT: br i1 %[[NONE]], label %[[TAKE:.*]], label %[[HAVE:.*]]
; CHECK: [[TAKE]]:
; CHECK-NEXT: %[[NEW:.*]] = call preserve_mostcc ptr @ch_frame_new(
; CHECK: [[HAVE]]:
; CHECK-NEXT: phi ptr [ %[[KNOWN]], %second ], [ %[[NEW]], %[[TAKE]] ]
; CHECK: {{^}}loop:
