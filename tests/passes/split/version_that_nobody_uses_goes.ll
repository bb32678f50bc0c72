; A static function that was inlined everywhere, and what only it used.
define internal void @second.int() "charcoal-version-of"="second" {
  ret void
}
define internal void @first.int() "charcoal-version-of"="first" {
  call void @second.int() "charcoal-suspends"
  ret void
}
define void @f() {
  ret void
}
; CHECK-NOT: .int
