; %a is needed across the second call and %b across the fourth: one slot of 4 bytes. %n is needed across all.
declare i32 @g(i32)

define i32 @f.int(i32 %n) "charcoal-version-of"="f" {
  %a = call i32 @g(i32 1) "charcoal-suspends"
  %c = call i32 @g(i32 %n) "charcoal-suspends"
  %s = add i32 %a, %c
  %b = call i32 @g(i32 %s) "charcoal-suspends"
  %d = call i32 @g(i32 %n) "charcoal-suspends"
  %t = add i32 %b, %d
  %u = mul i32 %t, %n
  ret i32 %u
}
; CHECK: @charcoal.info = internal constant %charcoal.frame_info { {{.*}}, i32 4, i32 32, i32 8, i32 16, i16 0,
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: %image = alloca [8 x i8]
; CHECK: %[[A:a.*]] = getelementptr inbounds i8, ptr %image, i64 4
; CHECK: %[[B:b.*]] = getelementptr inbounds i8, ptr %image, i64 4
; CHECK: store i32 %n, ptr %image
; CHECK: store i32 %a{{.*}}, ptr %[[A]]
; CHECK: load i32, ptr %[[A]]
; CHECK: store i32 %b{{.*}}, ptr %[[B]]
; CHECK: load i32, ptr %[[B]]
