; A program's own definition wins over the library's.
define i32 @read.int(i32 %x) "charcoal-version-of"="read" "charcoal-named" {
  ret i32 %x
}
; CHECK: define weak { i32, i32 } @read.int(i32 %x) #0 {
