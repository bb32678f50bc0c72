$f = comdat any
@data = global ptr @f
define linkonce_odr void @f() comdat {
  ret void
}
define linkonce_odr void @f.int() "charcoal-version-of"="f" {
  ret void
}
; CHECK: @charcoal.version.f = private global { ptr, ptr } { ptr @f, ptr @f.int }, section "ch_versions", comdat($f), align 8
