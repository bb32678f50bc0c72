; In the frame that a body keeps, the image begins at 24. A vector that wants a multiple of 16 stands at 32.
declare i32 @ch_spawn(ptr, ptr, ptr, i64, i32, ptr)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define internal void @body.int(ptr %r) "charcoal-version-of"="body" {
  %v = load <4 x i32>, ptr %r
  call void @g.int() "charcoal-suspends"
  store <4 x i32> %v, ptr @place
  ret void
}
@place = global <4 x i32> zeroinitializer
define void @starter() {
  %s = call i32 @ch_spawn(ptr null, ptr @body.int, ptr null, i64 0, i32 0, ptr null)
  ret void
}
; CHECK: @charcoal.info = internal constant %charcoal.frame_info { {{.*}}, i32 1, i32 48, i32 24, i32 16, i16 1, i16 0, i32 0, ptr null }
; CHECK-LABEL: define internal i32 @body.int.framed(
; CHECK: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %frame, i64 32
; CHECK-NEXT: store <4 x i32> %v, ptr %[[SLOT]], align 16
