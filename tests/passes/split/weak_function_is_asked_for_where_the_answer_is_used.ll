; The optimiser has moved the question out of the loop, so that its answer would be kept across each call.
declare extern_weak i32 @report.int(i32)
declare i32 @report(i32)
define i32 @g.int(i32 %x) "charcoal-version-of"="g" {
  ret i32 %x
}
define void @f.int(i32 %n) "charcoal-version-of"="f" {
entry:
  %absent = icmp eq ptr @report.int, null
  br label %loop
loop:
  %a = call i32 @g.int(i32 %n) "charcoal-suspends"
  %wrong = icmp slt i32 %a, 0
  br i1 %wrong, label %ask, label %latch
ask:
  br i1 %absent, label %plain, label %latch
plain:
  call i32 @report(i32 %a)
  br label %latch
latch:
  %more = icmp ne i32 %a, 7
  br i1 %more, label %loop, label %end
end:
  ret void
}
; CHECK-LABEL: @f.int(
; CHECK-NOT: icmp eq ptr @report.int
; CHECK: {{^}}ask:
; CHECK-NEXT: %[[HERE:[a-z0-9.]+]] = icmp eq ptr @report.int, null
; CHECK-NEXT: br i1 %[[HERE]]
; CHECK-NOT: icmp eq ptr @report.int
