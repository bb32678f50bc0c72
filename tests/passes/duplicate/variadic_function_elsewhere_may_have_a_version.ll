; Its call is written twice, as the two take their arguments in different ways.
declare i32 @elsewhere(i32, ...)
define i32 @f(i32 %x) {
  %r = call i32 (i32, ...) @elsewhere(i32 1, i32 %x)
  ret i32 %r
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: icmp ne ptr @elsewhere.variadic.int, null
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %variable_arguments, i64 24
; CHECK-NEXT: %[[SLOT:.*]] = zext i32 %x to i64
; CHECK-NEXT: store volatile i64 %[[SLOT]], ptr %[[PLACE]]
; CHECK: %[[A:.*]] = call i32 @elsewhere.variadic.int(i32 1, ptr {{(captures\(none\)|nocapture)}} %variable_arguments)
; CHECK: call void @charcoal.yield()
; CHECK-NEXT: %[[B:.*]] = call i32 (i32, ...) @elsewhere(i32 1, i32 %x)
; CHECK: phi i32 [ %[[A]], {{.*}} ], [ %[[B]],
