; Two variable arguments: the three stores, the comparison and the branch cost nothing, and a call what clang's costs.
declare void @elsewhere(i32, ...)
define void @here(i32 %n, ...) {
  call void (i32, ...) @elsewhere(i32 0, i32 1)
  ret void
}
define void @f(i32 %a, i32 %b) {
  call void (i32, ...) @elsewhere(i32 3, i32 %a, i32 %b)
  call void (i32, ...) @here(i32 3, i32 %a, i32 %b)
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK: call void @elsewhere.variadic.int(i32 3, {{.*}}) #[[ELSEWHERE:[0-9]+]]
; CHECK: call void (i32, ...) @elsewhere(i32 3, i32 %a, i32 %b){{$}}
; CHECK: call void @here.variadic.int(i32 3, {{.*}}) #[[HERE:[0-9]+]]
; CHECK: attributes #[[ELSEWHERE]] = { {{.*}}"call-inline-cost"="-25"
; CHECK: attributes #[[HERE]] = { {{.*}}"call-inline-cost"="30"
