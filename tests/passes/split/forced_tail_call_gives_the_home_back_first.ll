; The user has said that the locals are gone by then. There is another point, for which the local has a home.
declare void @remember(ptr)
define void @g.int(i32 %x) "charcoal-version-of"="g" {
  ret void
}
define void @f.int(i32 %x) "charcoal-version-of"="f" {
  %local = alloca i32
  call void @remember(ptr %local)
  call void @g.int(i32 1) "charcoal-suspends"
  musttail call void @g.int(i32 %x) "charcoal-suspends"
  ret void
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: call preserve_mostcc ptr @ch_frame_new(
; CHECK: {{^}}after:
; CHECK: call preserve_mostcc void @ch_frame_free(
; CHECK: %[[R:.*]] = musttail call i32 @g.int(i32 %{{.*}})
; CHECK-NEXT: ret i32 %[[R]]
