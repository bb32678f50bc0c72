; The loop has no point. The way that leaves it when somebody else is to run has one.
declare i1 @charcoal.asked()
declare void @charcoal.pause()
define i32 @f.int(ptr %p) "charcoal-version-of"="f" {
entry:
  br label %outer
outer:
  %start = phi ptr [ %p, %entry ], [ %next, %leave ]
  br label %turn
turn:
  %at = phi ptr [ %start, %outer ], [ %next, %asking ]
  %next = load ptr, ptr %at
  %last = icmp eq ptr %next, null
  br i1 %last, label %end, label %asking
asking:
  %asked = call i1 @charcoal.asked()
  br i1 %asked, label %leave, label %turn
leave:
  call void @charcoal.pause()
  br label %outer
end:
  ret i32 1
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: asking:
; CHECK-NEXT: call {{.*}}ptr @llvm.threadlocal.address
; CHECK-NEXT: %[[WORD:.*]] = load volatile i32, ptr %{{.*}}, align 4
; CHECK-NEXT: %[[ASKED:.*]] = icmp ne i32 %[[WORD]], 0
; CHECK-NEXT: br i1 %[[ASKED]], label %leave, label %turn
; CHECK: call i32 @ch_suspend_{{[0-9]}}(
; CHECK-NOT: @charcoal.asked
