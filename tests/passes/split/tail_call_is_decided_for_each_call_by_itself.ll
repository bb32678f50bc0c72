; A local lent on one path, or in a block that has ended, is nothing to the others. One that is only lent during a call has
; a home, which is given back before the tail call.
declare void @remember(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
define void @g.int(ptr %p) "charcoal-version-of"="g" {
  ret void
}
define void @paths.int(i1 %c) "charcoal-version-of"="paths" {
  %local = alloca i32
  br i1 %c, label %lends, label %ends
lends:
  call void @remember(ptr %local)
  call void @g.int(ptr null) "charcoal-suspends"
  ret void
ends:
  call void @g.int(ptr null) "charcoal-suspends"
  ret void
}
define void @blocks.int(i64 %n) "charcoal-version-of"="blocks" {
  %local = alloca i32
  call void @llvm.lifetime.start.p0(ptr %local)
  call void @remember(ptr %local)
  call void @llvm.lifetime.end.p0(ptr %local)
  %sp = call ptr @llvm.stacksave.p0()
  %array = alloca i8, i64 %n
  call void @remember(ptr %array)
  call void @llvm.stackrestore.p0(ptr %sp)
  call void @g.int(ptr null) "charcoal-suspends"
  ret void
}
define void @calls.int() "charcoal-version-of"="calls" {
  %local = alloca i32
  call void @g.int(ptr captures(none) %local) "charcoal-suspends"
  call void @g.int(ptr null) "charcoal-suspends"
  ret void
}
define void @arguments.int() "charcoal-version-of"="arguments" {
  %local = alloca i32
  call void @g.int(ptr captures(none) %local) "charcoal-suspends"
  ret void
}
; CHECK-LABEL: define i32 @paths.int(
; CHECK: {{^}} %{{.*}} = call i32 @g.int(ptr null)
; CHECK: %[[S:.*]] = tail call i32 @g.int(ptr null)
; CHECK-NEXT: ret i32 %[[S]]
; CHECK-LABEL: define i32 @blocks.int(
; CHECK: %[[S:.*]] = tail call i32 @g.int(ptr null)
; CHECK-NEXT: ret i32 %[[S]]
; CHECK-LABEL: define i32 @calls.int(
; CHECK: {{^}} %{{.*}} = call i32 @g.int(ptr %
; CHECK: call preserve_mostcc void @ch_frame_free(
; CHECK-NEXT: %[[S:.*]] = tail call i32 @g.int(ptr null)
; CHECK-NEXT: ret i32 %[[S]]
; CHECK-LABEL: define i32 @arguments.int(
; CHECK: {{^}} %{{.*}} = call i32 @g.int(ptr %
; CHECK-NOT: tail call
; CHECK: ch_restore
