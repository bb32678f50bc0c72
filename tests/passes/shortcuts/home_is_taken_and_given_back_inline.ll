; A frame of 40 bytes comes from the class of 48 bytes (at 3 * 16), and goes there. One that is aligned to 64 comes from
; that of 64, and one of 5,000 from that of 5,120, the second of the coarse classes (at 258 * 16). One of 40,000 is of no
; class.
%charcoal.frame_info = type { ptr, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i16, i16, i32, ptr }
@small = constant %charcoal.frame_info { ptr null, ptr null, ptr null, ptr null, ptr null, i32 1, i32 40, i32 8, i32 16, i16 1, i16 0, i32 0, ptr null }
@aligned = constant %charcoal.frame_info { ptr null, ptr null, ptr null, ptr null, ptr null, i32 1, i32 40, i32 8, i32 64, i16 1, i16 0, i32 0, ptr null }
@coarse = constant %charcoal.frame_info { ptr null, ptr null, ptr null, ptr null, ptr null, i32 1, i32 5000, i32 8, i32 16, i16 1, i16 0, i32 0, ptr null }
@large = constant %charcoal.frame_info { ptr null, ptr null, ptr null, ptr null, ptr null, i32 1, i32 40000, i32 8, i32 16, i16 1, i16 0, i32 0, ptr null }
declare ptr @ch_frame_new(ptr)
declare void @ch_frame_free(ptr)
declare void @use(ptr)
define void @f.int() {
  %frame = call ptr @ch_frame_new(ptr @small)
  call void @use(ptr %frame)
  call void @ch_frame_free(ptr %frame)
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK: %[[CLASS:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 48
; CHECK: %[[FIRST:.*]] = load ptr, ptr %{{.*}}, align 8, !nosanitize
; CHECK-NEXT: icmp eq ptr %[[FIRST]], null
; CHECK: %[[SLOW:.*]] = call ptr @ch_frame_new(ptr @small)
; CHECK: and i64 %{{.*}}, -2
; CHECK: store ptr @small, ptr %
; CHECK: %frame = phi ptr [ %[[FIRST]], %{{.*}} ], [ %[[SLOW]], %{{.*}} ]
; CHECK-NEXT: call void @use(ptr %frame)
; CHECK: %[[HELD:.*]] = load i32, ptr %{{.*}}, align 4, !nosanitize
; CHECK-NEXT: icmp ne i32 %[[HELD]], 0
; CHECK: call void @ch_frame_free(ptr %frame)
; CHECK: or i64 %{{.*}}, 1
; CHECK: ret void

define void @a.int() {
  %frame = call ptr @ch_frame_new(ptr @aligned)
  call void @use(ptr %frame)
  call void @ch_frame_free(ptr %frame)
  ret void
}
; CHECK-LABEL: define void @a.int(
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 64
; CHECK: call ptr @ch_frame_new(ptr @aligned)
; CHECK: call void @use(ptr %frame)
; CHECK: call void @ch_frame_free(ptr %frame)
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 64
; CHECK: ret void

define void @c.int() {
  %frame = call ptr @ch_frame_new(ptr @coarse)
  call void @use(ptr %frame)
  call void @ch_frame_free(ptr %frame)
  ret void
}
; CHECK-LABEL: define void @c.int(
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 4128
; CHECK: call ptr @ch_frame_new(ptr @coarse)
; CHECK: call void @use(ptr %frame)
; CHECK: call void @ch_frame_free(ptr %frame)
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 4128
; CHECK: ret void

define void @g.int() {
  %frame = call ptr @ch_frame_new(ptr @large)
  call void @use(ptr %frame)
  call void @ch_frame_free(ptr %frame)
  ret void
}
; CHECK-LABEL: define void @g.int(
; CHECK-NEXT: %frame = call ptr @ch_frame_new(ptr @large)
; CHECK-NEXT: call void @use(ptr %frame)
; CHECK-NEXT: call void @ch_frame_free(ptr %frame)
; CHECK-NEXT: ret void
