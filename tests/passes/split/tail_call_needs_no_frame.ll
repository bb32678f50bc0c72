; The callee's frame is linked to the caller's. Also where nothing is returned, and where several calls share one return.
define i32 @g.int(i32 %x) "charcoal-version-of"="g" {
  ret i32 %x
}
define i32 @f.int(i32 %x) "charcoal-version-of"="f" {
  %r = call i32 @g.int(i32 %x) "charcoal-suspends"
  ret i32 %r
}
define void @dropped.int(i32 %x) "charcoal-version-of"="dropped" {
  %r = call i32 @g.int(i32 %x) "charcoal-suspends"
  ret void
}
define i32 @joined.int(i1 %c, i32 %x) "charcoal-version-of"="joined" {
  br i1 %c, label %a, label %b
a:
  %r = call i32 @g.int(i32 %x) "charcoal-suspends"
  br label %join
b:
  %s = call i32 @g.int(i32 1) "charcoal-suspends"
  br label %join
join:
  %t = phi i32 [ %r, %a ], [ %s, %b ]
  br label %end
end:
  ret i32 %t
}
; CHECK-NOT: @charcoal.info
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: %[[R:.*]] = tail call { i32, i32 } @g.int(i32 %x)
; CHECK-NEXT: ret { i32, i32 } %[[R]]
; CHECK-LABEL: define i32 @dropped.int(
; CHECK: %[[S:.*]] = tail call { i32, i32 } @g.int(i32 %x)
; CHECK-NEXT: %[[STATUS:.*]] = extractvalue { i32, i32 } %[[S]], 0
; CHECK-NEXT: ret i32 %[[STATUS]]
; CHECK-LABEL: define { i32, i32 } @joined.int(
; CHECK: %[[A:.*]] = tail call { i32, i32 } @g.int(i32 %x)
; CHECK-NEXT: ret { i32, i32 } %[[A]]
; CHECK: %[[B:.*]] = tail call { i32, i32 } @g.int(i32 1)
; CHECK-NEXT: ret { i32, i32 } %[[B]]
