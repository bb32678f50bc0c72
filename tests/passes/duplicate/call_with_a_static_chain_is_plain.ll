; The chain is an operand, but no parameter: it goes in a register that most callees do not read.
define i32 @f(i32 %a) {
  %r = call i32 @elsewhere(i32 %a)
  ret i32 %r
}
declare i32 @elsewhere(i32)
define i32 @g(ptr %p, ptr %chain, i32 %a) {
  %1 = call i32 %p(ptr nest %chain, i32 %a)
  %2 = call i32 @f(ptr nest %chain, i32 %a)
  %3 = call i32 @elsewhere(ptr nest %chain, i32 %a)
  ret i32 %3
}
; CHECK-LABEL: @g.int(
; CHECK: call void @charcoal.yield()
; CHECK: call i32 %p(ptr nest %chain, i32 %a)
; CHECK-NEXT: call void @charcoal.yield()
; CHECK-NEXT: call i32 @f(ptr nest %chain, i32 %a)
; CHECK-NEXT: call void @charcoal.yield()
; CHECK-NEXT: call i32 @elsewhere(ptr nest %chain, i32 %a)
