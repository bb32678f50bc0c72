; OPTIONS: -charcoal-atomicity
@fixed = constant i64 1
declare void @look(ptr captures(none))
declare void @keep(ptr)

define i64 @f(ptr byval(i64) %copy) {
  %private = alloca i64
  %escaped = alloca i64
  call void @look(ptr %private)
  call void @keep(ptr %escaped)
  store i64 1, ptr %private
  store i64 2, ptr %escaped
  %a = load i64, ptr @fixed
  %b = load i64, ptr %copy
  %c = add i64 %a, %b
  ret i64 %c
}
; CHECK-LABEL: define i64 @f(
; CHECK: call void @ch_atomicity_forget(ptr %escaped, i64 8)
; CHECK: store i64 1, ptr %private
; CHECK-NEXT: store i64 2, ptr %escaped
; CHECK-NEXT: call void @ch_atomicity_write(ptr %escaped,
; CHECK-NEXT: load i64, ptr @fixed
; CHECK-NEXT: load i64, ptr %copy
; CHECK-NEXT: add
; CHECK-NEXT: ret
