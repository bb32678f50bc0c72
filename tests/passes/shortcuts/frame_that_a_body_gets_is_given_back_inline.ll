; A function that runs in the frame that it gets gives it back inline, too: an attribute names the frame's description.
%charcoal.frame_info = type { ptr, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i16, i16, i32, ptr }
@small = constant %charcoal.frame_info { ptr null, ptr null, ptr null, ptr null, ptr null, i32 1, i32 40, i32 8, i32 16, i16 1, i16 0, i32 0, ptr null }
declare ptr @ch_frame_new(ptr)
declare void @ch_frame_free(ptr)
define i32 @f.int() {
  %frame = call ptr @ch_frame_new(ptr @small)
  %status = call i32 @f.int.framed(ptr %frame)
  ret i32 %status
}
define internal i32 @f.int.framed(ptr %frame) "charcoal-frame"="small" {
  call void @ch_frame_free(ptr %frame)
  ret i32 0
}
; CHECK-LABEL: define internal i32 @f.int.framed(
; CHECK: %[[HELD:.*]] = load i32, ptr %{{.*}}, align 4, !nosanitize
; CHECK-NEXT: icmp ne i32 %[[HELD]], 0
; CHECK: call void @ch_frame_free(ptr %frame)
; CHECK: or i64 %{{.*}}, 1
; CHECK: ret i32 0
