declare i32 @elsewhere(ptr)
define noalias ptr @f(ptr noalias %a, ptr returned %b) noreturn willreturn memory(argmem: read) nosync nofree norecurse nocallback {
  %r = call i32 @elsewhere(ptr %a)
  ret ptr %b
}
define void @large(ptr noalias sret([80 x i8]) %to) {
  %r = call i32 @elsewhere(ptr %to)
  ret void
}
define void @g(ptr %a, ptr %b) {
  %r = call noalias ptr @f(ptr noalias %a, ptr returned %b) nounwind willreturn memory(none)
  call void @large(ptr noalias sret([80 x i8]) %a)
  ret void
}
; CHECK: define ptr @f.int(ptr %a, ptr %b) #[[F:[0-9]+]]
; CHECK-LABEL: define void @large.int(ptr %to)
; CHECK-LABEL: define void @g.int(
; CHECK: call ptr @f.int(ptr %a, ptr %b) #[[CALL:[0-9]+]]
; CHECK: call void @large.int(ptr {{(captures\(none\)|nocapture)}} %a)
; CHECK-DAG: attributes #[[F]] = { "charcoal-version-of"="f" }
; CHECK-DAG: attributes #[[CALL]] = { nounwind "charcoal-suspends" }
