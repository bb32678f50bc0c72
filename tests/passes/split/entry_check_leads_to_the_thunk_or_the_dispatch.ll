; A function without points has no frame: only the thunk saves its arguments. ch_tls: entering at 1, entry at 32.
define void @leaf.int(i32 %x) "charcoal-version-of"="leaf" {
  ret void
}
define void @f.int(i32 %x) "charcoal-version-of"="f" {
  call void @leaf.int(i32 %x) "charcoal-suspends"
  call void @leaf.int(i32 1) "charcoal-suspends"
  ret void
}
; CHECK-LABEL: define i32 @leaf.int(
; CHECK: load volatile i32, ptr
; CHECK: br i1 %{{.*}}, label %cold, label
; CHECK: {{^}}cold:
; CHECK-NOT: load
; CHECK: br label %yield
; CHECK: {{^}}yield:
; CHECK-NEXT: tail call i32 @charcoal.entry.handed.i64.i64i64i64(i32 %x, i64 poison, i64 poison, ptr @leaf.int)
; CHECK-LABEL: define i32 @f.int(
; CHECK: {{^}}cold:
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 1
; CHECK-NEXT: %[[ENTERING:.*]] = load volatile i8, ptr %[[PLACE]]
; CHECK-NEXT: %[[IS:.*]] = icmp ne i8 %[[ENTERING]], 0
; CHECK-NEXT: br i1 %[[IS]], label %dispatch, label %yield
