; Of each instruction it is known whether the activation has its frame there. So neither the entry nor the way without
; the frame has an instruction for it, and the number of a point tells how the activation is saved.
declare void @remember(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int(i1 %rare, i32 %x) "charcoal-version-of"="f" {
  %local = alloca i32
  call void @g.int() "charcoal-suspends"
  br i1 %rare, label %unusual, label %end
unusual:
  call void @llvm.lifetime.start.p0(ptr %local)
  call void @remember(ptr %local)
  call void @g.int() "charcoal-suspends"
  call void @llvm.lifetime.end.p0(ptr %local)
  br label %end
end:
  call void @g.int() "charcoal-suspends"
  ret i32 %x
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK-NOT: store ptr null
; CHECK: {{^}}unusual:
; CHECK-NEXT: %frame = call preserve_mostcc ptr @ch_frame_new(ptr @charcoal.info.1)
; CHECK-NEXT: store ptr %frame, ptr %image
; CHECK: call void @remember(
; CHECK: call i32 @g.int()
; CHECK: {{^}}after1:
; CHECK-NEXT: %[[TAKEN:.*]] = load ptr, ptr %image
; CHECK-NEXT: call preserve_mostcc void @ch_frame_free(ptr %[[TAKEN]])
; CHECK-NEXT: br label %end
; CHECK: {{^}}end:
; CHECK-NOT: @ch_frame_free
; CHECK: {{^}}suspend:
; CHECK: %[[SECOND:.*]] = icmp eq i32 %{{.*}}, 2
; CHECK-NEXT: br i1 %[[SECOND]], label %suspend.home, label %suspend.early

; After the branch the activation may have taken a frame or not, so the slot tells as before.
define void @unknown.int(i1 %a, i1 %b) "charcoal-version-of"="unknown" {
  %local = alloca i32
  br i1 %a, label %first, label %between, !prof !0
first:
  call void @llvm.lifetime.start.p0(ptr %local)
  call void @remember(ptr %local)
  br label %between
between:
  call void @g.int() "charcoal-suspends"
  br i1 %b, label %second, label %end
second:
  call void @llvm.lifetime.end.p0(ptr %local)
  br label %end
end:
  ret void
}
!0 = !{!"branch_weights", i32 1, i32 1000}
; CHECK-LABEL: define i32 @unknown.int(
; CHECK: store ptr null
; CHECK: {{^}}first:

; Nobody knows how long the other local is in use.
define void @lasting.int(i1 %rare) "charcoal-version-of"="lasting" {
  %local = alloca i32
  %lasting = alloca i32
  call void @g.int() "charcoal-suspends"
  br i1 %rare, label %unusual, label %end
unusual:
  call void @remember(ptr %lasting)
  call void @llvm.lifetime.start.p0(ptr %local)
  call void @remember(ptr %local)
  call void @g.int() "charcoal-suspends"
  call void @llvm.lifetime.end.p0(ptr %local)
  call void @g.int() "charcoal-suspends"
  br label %end
end:
  ret void
}
; CHECK-LABEL: define i32 @lasting.int(
; CHECK: store ptr null
; CHECK: {{^}}unusual:
; CHECK: call preserve_mostcc ptr @ch_frame_new(
; CHECK-NOT: @ch_frame_free
; CHECK: {{^}}end:
