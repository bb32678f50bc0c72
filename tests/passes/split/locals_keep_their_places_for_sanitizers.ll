; As in values that share a slot, but the locals are told apart by their addresses: two of 16 bytes.
declare i32 @g(i32)

define i32 @f.int() "charcoal-version-of"="f" {
  %a = alloca [4 x i32]
  %b = alloca [4 x i32]
  store i32 1, ptr %a
  %x = call i32 @g(i32 1) "charcoal-suspends"
  %c = load i32, ptr %a
  store i32 %c, ptr %b
  %y = call i32 @g(i32 %x) "charcoal-suspends"
  %d = load i32, ptr %b
  ret i32 %d
}
define i32 @watched.int() sanitize_memory "charcoal-version-of"="watched" {
  %a = alloca [4 x i32]
  %b = alloca [4 x i32]
  store i32 1, ptr %a
  %x = call i32 @g(i32 1) "charcoal-suspends"
  %c = load i32, ptr %a
  store i32 %c, ptr %b
  %y = call i32 @g(i32 %x) "charcoal-suspends"
  %d = load i32, ptr %b
  ret i32 %d
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: %image = alloca [16 x i8]
; CHECK-LABEL: define { i32, i32 } @watched.int(
; CHECK: %image = alloca [32 x i8]
