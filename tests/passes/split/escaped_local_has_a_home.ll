; Its address must hold from the entry to the return: the frame is taken then, with the local behind the image (24 + 8).
declare void @remember(ptr)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int() "charcoal-version-of"="f" {
  %local = alloca i32
  call void @remember(ptr %local)
  call void @g.int() "charcoal-suspends"
  %v = load i32, ptr %local
  ret i32 %v
}
; CHECK: @charcoal.info = internal constant %charcoal.frame_info { {{.*}}, i32 1, i32 40, i32 8, i32 16, i16 1, i16 0, i32 0, ptr null }
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: %frame = call preserve_mostcc ptr @ch_frame_new(ptr @charcoal.info)
; CHECK-NEXT: store ptr %frame, ptr %image
; CHECK: %[[HOME:.*]] = getelementptr inbounds i8, ptr %frame, i64 32
; CHECK-NEXT: call void @remember(ptr %[[HOME]])
; CHECK: {{^}}after:
; CHECK: %[[AGAIN:.*]] = load ptr, ptr %image
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %[[AGAIN]], i64 32
; CHECK-NEXT: load i32, ptr %[[PLACE]]
; CHECK: call preserve_mostcc void @ch_frame_free(ptr %[[AGAIN]])
; CHECK: {{^}}suspend:
; CHECK: call i32 @ch_suspend_home_1(ptr %{{.*}}, ptr %image, i32 %{{.*}})
