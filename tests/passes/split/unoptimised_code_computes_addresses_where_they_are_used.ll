; There a value that two blocks share costs a place on the stack and two instructions: so an argument is stored before the
; check, each use of the image has its own address, and a result goes through one place as wide as it whether the call returned or not.
declare void @charcoal.yield()
define i32 @g.int(i32 %x) "charcoal-version-of"="g" {
  ret i32 %x
}
define i32 @f.int(i32 %x) "charcoal-version-of"="f" noinline optnone {
  %y = alloca i32
  %x.addr = alloca i32
  store i32 %x, ptr %x.addr
  %a = load i32, ptr %x.addr
  %r = call i32 @g.int(i32 %a) "charcoal-suspends"
  store i32 %r, ptr %y
  %b = load i32, ptr %x.addr
  %s = call i32 @g.int(i32 %b) "charcoal-suspends"
  %c = load i32, ptr %y
  %t = add i32 %s, %c
  ret i32 %t
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: store i32 %x, ptr %image
; CHECK: load volatile i32
; CHECK: call { i32, i32 } @g.int(
; CHECK: store i32 %{{.*}}, ptr %why
; CHECK-NEXT: store i32 %{{.*}}, ptr %word
; CHECK: after:
; CHECK-NEXT: %[[R:.*]] = load i32, ptr %word
; CHECK-NEXT: %[[Y:.*]] = getelementptr inbounds i8, ptr %image, i64 4
; CHECK-NEXT: store i32 %[[R]], ptr %[[Y]]
; CHECK: %[[AGAIN:.*]] = getelementptr inbounds i8, ptr %image, i64 4
; CHECK-NEXT: load i32, ptr %[[AGAIN]]
; CHECK: dispatch:
; CHECK: store i32 %{{.*}}, ptr %word
; CHECK: switch i32 %{{.*}}, label %lost [
; CHECK-NEXT: i32 1, label %after
; CHECK: yield:
; CHECK: %[[AGAIN:.*]] = load i32, ptr
; CHECK: tail call { i32, i32 } @charcoal.entry.handed.i64.i64i64i64(i32 %[[AGAIN]],
