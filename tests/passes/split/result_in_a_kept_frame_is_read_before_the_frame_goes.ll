; The body of an activity gives its frame back last: the memory may be gone when what it returns, or hands to a tail
; call, is loaded.
define i32 @g.int(i32) "charcoal-version-of"="g" {
  ret i32 1
}
define i32 @main.int(i1 %way) "charcoal-version-of"="main" {
  %x = call i32 @g.int(i32 1) "charcoal-suspends"
  %y = call i32 @g.int(i32 2) "charcoal-suspends"
  br i1 %way, label %return, label %tail
return:
  ret i32 %x
tail:
  %z = tail call i32 @g.int(i32 %x) "charcoal-suspends"
  ret i32 %z
}
; CHECK-LABEL: @main.int.framed(
; CHECK: {{^}}return:
; CHECK-NOT: @ch_frame_free
; CHECK: %[[X:.*]] = load i32
; CHECK: call preserve_mostcc void @ch_frame_free(
; CHECK-NEXT: insertvalue {{.*}} i32 %[[X]], 1
; CHECK: ret
; CHECK: {{^}}tail:
; CHECK-NOT: @ch_frame_free
; CHECK: %[[X:.*]] = load i32
; CHECK: call preserve_mostcc void @ch_frame_free(
; CHECK-NEXT: tail call {{.*}}(i32 %[[X]])
; CHECK: ret
