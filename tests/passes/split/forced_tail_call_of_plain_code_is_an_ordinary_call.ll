; It returns to us, as what it returns has no status. A plain function never comes back to an interruptible one by itself,
; so this happens once in a chain of such calls. One that takes an argument by value must leave our frame alone, too.
declare i32 @plain(i32)
define void @g.int(ptr byval([64 x i8]) %p) "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int(i32 %x) "charcoal-version-of"="f" {
  %r = musttail call i32 @plain(i32 %x)
  ret i32 %r
}
define void @h.int(ptr byval([64 x i8]) %p) "charcoal-version-of"="h" {
  musttail call void @g.int(ptr byval([64 x i8]) %p) "charcoal-suspends"
  ret void
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: {{^}} %r = call i32 @plain(i32 %x)
; CHECK: insertvalue { i32, i32 } {{.*}}, i32 %r, 1
; CHECK-LABEL: define i32 @h.int(
; CHECK: {{^}} %{{.*}} = call i32 @g.int(ptr %{{.*}})
; CHECK: ch_restore
