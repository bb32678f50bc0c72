; main gets its arguments in the frame, and the part that has its code leaves the result where the runtime looks for that
; of a call that was resumed. So the runtime can resume this part by itself.
define i32 @g.int() "charcoal-version-of"="g" {
  ret i32 1
}
define i32 @main.int(i32 %argc, ptr %argv) "charcoal-version-of"="main" {
  %v = call i32 @g.int() "charcoal-suspends"
  %sum = add i32 %v, %argc
  ret i32 %sum
}
; CHECK-LABEL: define { i32, i32 } @main.int(
; CHECK: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 32
; CHECK-NEXT: store ptr %argv, ptr %[[SECOND]]
; CHECK: %[[STATUS:.*]] = {{.*}}call i32 @main.int.framed(
; CHECK: %[[VALUE:.*]] = load i32, ptr
; CHECK: insertvalue { i32, i32 } %{{.*}}, i32 %[[VALUE]], 1
; CHECK-LABEL: define internal i32 @main.int.framed(ptr %frame)
; CHECK: {{^}}after:
; CHECK: store i32 %{{.*}}, ptr %{{.*}}, align 8
; CHECK: ret i32
