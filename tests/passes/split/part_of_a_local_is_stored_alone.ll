; The image is one word, which the local fills: a store to its first element leaves the second one as it is. So does one
; to what alloca with a constant size has given.
define i32 @g.int(i32 %n) "charcoal-version-of"="g" {
  ret i32 %n
}
define i32 @f.int(i32 %x, i32 %u) "charcoal-version-of"="f" {
  %local = alloca [2 x i32], align 8
  store i64 7, ptr %local
  store i32 %x, ptr %local
  %a = call i32 @g.int(i32 %u) "charcoal-suspends"
  %at = getelementptr [2 x i32], ptr %local, i32 0, i32 %a
  %b = load i32, ptr %at
  ret i32 %b
}
; CHECK-LABEL: define { i32, i32 } @f.int(i32 %x, i32 %u)
; CHECK: %image = alloca [8 x i8], align 8
; CHECK: store i64 7, ptr %image
; CHECK-NEXT: store i32 %x, ptr %image
define i32 @h.int(i8 %x, i32 %u) "charcoal-version-of"="h" {
  %local = alloca i8, i32 8, align 8
  store i64 7, ptr %local
  store i8 %x, ptr %local
  %a = call i32 @g.int(i32 %u) "charcoal-suspends"
  %at = getelementptr i8, ptr %local, i32 %a
  %b = load i8, ptr %at
  %c = zext i8 %b to i32
  ret i32 %c
}
; CHECK-LABEL: define { i32, i32 } @h.int(i8 %x, i32 %u)
; CHECK: %image = alloca [8 x i8], align 8
; CHECK: store i64 7, ptr %image
; CHECK-NEXT: store i8 %x, ptr %image
