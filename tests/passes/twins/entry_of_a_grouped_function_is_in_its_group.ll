$f = comdat any
@data = global ptr @f
define linkonce_odr void @f() comdat {
  ret void
}
define linkonce_odr void @f.int() "charcoal-twin"="f" {
  ret void
}
; CHECK: @charcoal.twin.f = private global { ptr, ptr } { ptr @f, ptr @f.int }, section "ch_twins", comdat($f), align 8
