; Stored where it is defined, loaded behind the point: the same code serves the first run and a resumption.
; A value that is used before the call only has no place there.
; An image of one word is stored as a whole: `pop` may read it at once.
declare i32 @h(i32)
define i32 @g.int(i32 %n) "charcoal-version-of"="g" {
  ret i32 %n
}
define i32 @f.int(i32 %x, i32 %u) "charcoal-version-of"="f" {
  %v = call i32 @h(i32 %u)
  %a = call i32 @g.int(i32 %v) "charcoal-suspends"
  %b = add i32 %a, %x
  ret i32 %b
}
; CHECK-LABEL: define { i32, i32 } @g.int(
; CHECK: ret { i32, i32 }
; CHECK-LABEL: define { i32, i32 } @f.int(i32 %x, i32 %u)
; CHECK: %image = alloca [8 x i8], align 8
; CHECK: load volatile i32
; CHECK: br i1 %{{.*}}, label %cold, label %[[BODY:.*]], !prof
; CHECK: {{^}}[[BODY]]:
; CHECK-NEXT: %[[WORD_OF_X:.*]] = zext i32 %x to i64
; CHECK-NEXT: store i64 %[[WORD_OF_X]], ptr %image, align 8
; CHECK-NEXT: %v = call i32 @h(i32 %u)
; CHECK-NEXT: %[[R:.*]] = call { i32, i32 } @g.int(i32 %v)
; CHECK-NEXT: %[[STATUS:.*]] = extractvalue { i32, i32 } %[[R]], 0
; CHECK-NEXT: %[[VALUE:.*]] = extractvalue { i32, i32 } %[[R]], 1
; CHECK-NEXT: %[[SUSPENDED:.*]] = icmp ne i32 %[[STATUS]], 0
; CHECK-NEXT: br i1 %[[SUSPENDED]], label %suspending, label %after, !prof
; CHECK: {{^}}after:
; CHECK-NEXT: phi i32 [ %[[VALUE]], %[[BODY]] ], [ %[[WORD:.*]], %restored ]
; CHECK-NEXT: %[[AGAIN:.*]] = load i32, ptr %image
; CHECK-NEXT: add i32 %{{.*}}, %[[AGAIN]]
; CHECK: {{^}}dispatch:
; CHECK-NEXT: %[[RESTORED:.*]] = call { i64, i64 } @ch_restore_1(ptr %image)
; CHECK-NEXT: %[[FIRST:.*]] = extractvalue { i64, i64 } %[[RESTORED]], 1
; CHECK: {{^}}restored:
; CHECK-NEXT: %[[WORD]] = trunc i64 %[[FIRST]] to i32
; CHECK-NEXT: br label %after
; CHECK: {{^}}suspend:
; CHECK: call i32 @ch_suspend_1(ptr @charcoal.info, ptr %image, i32 %{{.*}})
