; The counter would jump over a limit that is no whole number of steps away.
declare void @charcoal.yield()
define void @f.int(ptr %p, ptr %end) "charcoal-version-of"="f" {
entry:
  br label %turn
turn:
  %at = phi ptr [ %p, %entry ], [ %next, %turn ]
  call void @charcoal.yield()
  store i32 1, ptr %at
  %next = getelementptr i32, ptr %at, i64 1
  %more = icmp ne ptr %next, %end
  br i1 %more, label %turn, label %end.of.loop
end.of.loop:
  ret void
}
; CHECK-LABEL: define void @f.int
; CHECK: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 4092)
; CHECK: urem i64 %{{.*}}, 4
; CHECK: turn:
; CHECK-NOT: charcoal.yield
