; Its callers, such as the stub that resumes it, do not know which registers the plain version keeps.
declare void @elsewhere()
define void @f() "no_caller_saved_registers" {
  call void @elsewhere()
  ret void
}
define void @g() "no_callee_saved_registers" {
  call void @elsewhere()
  ret void
}
; CHECK: define void @f() #[[F:[0-9]+]]
; CHECK: define void @g() #[[G:[0-9]+]]
; CHECK: define void @f.int() #[[FV:[0-9]+]]
; CHECK: define void @g.int() #[[GV:[0-9]+]]
; CHECK-DAG: attributes #[[F]] = { "no_caller_saved_registers" }
; CHECK-DAG: attributes #[[G]] = { "no_callee_saved_registers" }
; CHECK-DAG: attributes #[[FV]] = { "charcoal-version-of"="f" }
; CHECK-DAG: attributes #[[GV]] = { "charcoal-version-of"="g" }
