; OPTIONS: -charcoal-remarks
%large = type { [65 x i8] }
declare void @elsewhere()
declare i32 @getcontext(ptr) returns_twice
declare ptr @llvm.frameaddress.p0(i32)
declare ptr @llvm.returnaddress(i32)
declare i32 @personality(...)
declare void @variadic(ptr, ...)
@table = global [1 x ptr] [ptr blockaddress(@writable_table, %label)]

; CHECK-DAG: remark: in 'naked': 'naked' has only a plain version: it is naked [-Rcharcoal]
define void @naked() naked {
  call void @elsewhere()
  unreachable
}
; CHECK-DAG: remark: in 'handler': 'handler' has only a plain version: it is an interrupt handler [-Rcharcoal]
define void @handler() "interrupt" {
  call void @elsewhere()
  ret void
}
; CHECK-DAG: remark: in 'convention': 'convention' has only a plain version: it has an unusual calling convention [-Rcharcoal]
define preserve_mostcc void @convention() {
  call void @elsewhere()
  ret void
}
; CHECK-DAG: remark: in 'coroutine': 'coroutine' has only a plain version: it is a coroutine [-Rcharcoal]
define void @coroutine() presplitcoroutine {
  call void @elsewhere()
  ret void
}
; CHECK-DAG: remark: in 'large': 'large' has only a plain version: its result is too large for registers [-Rcharcoal]
define %large @large() {
  call void @elsewhere()
  ret %large zeroinitializer
}
; CHECK-DAG: remark: in 'jumps': 'jumps' has only a plain version: it calls a function that returns twice [-Rcharcoal]
define i32 @jumps(ptr %buffer) {
  call void @elsewhere()
  %r = call i32 @getcontext(ptr %buffer) returns_twice
  ret i32 %r
}
; CHECK-DAG: remark: in 'parameter': 'parameter' has only a plain version: it has an unusual parameter [-Rcharcoal]
define void @parameter(ptr nest %chain) {
  call void @elsewhere()
  ret void
}
; CHECK-DAG: remark: in 'exceptions': 'exceptions' has only a plain version: it handles exceptions (-fexceptions) [-Rcharcoal]
define void @exceptions() personality ptr @personality {
  invoke void @elsewhere() to label %end unwind label %pad
pad:
  %p = landingpad { ptr, i32 } cleanup
  br label %end
end:
  ret void
}
; CHECK-DAG: remark: in 'asm_label': 'asm_label' has only a plain version: its inline assembly defines a label [-Rcharcoal]
define void @asm_label() {
  call void @elsewhere()
  call void asm sideeffect "here: nop", ""()
  ret void
}
; CHECK-DAG: remark: in 'frame': 'frame' has only a plain version: it asks where its frame is [-Rcharcoal]
define ptr @frame() {
  call void @elsewhere()
  %r = call ptr @llvm.frameaddress.p0(i32 0)
  ret ptr %r
}
; CHECK-DAG: remark: in 'writable_table': 'writable_table' has only a plain version: it keeps addresses of its labels where another call can find them [-Rcharcoal]
define void @writable_table() {
  call void @elsewhere()
  %to = load ptr, ptr @table
  indirectbr ptr %to, [label %label]
label:
  ret void
}
; CHECK-DAG: remark: in 'hands_on': 'hands_on' has only a plain version: it hands its variable arguments on in a tail call [-Rcharcoal]
define void @hands_on(ptr %f, ...) {
  musttail call void (ptr, ...) @variadic(ptr %f, ...)
  ret void
}
; A numeric label may stand twice.
; CHECK: define void @asm_number.int()
define void @asm_number() {
  call void @elsewhere()
  call void asm sideeffect "1: nop; jmp 1b", ""()
  ret void
}
; CHECK-NOT: @{{naked|handler|convention|coroutine|large|jumps|parameter|exceptions|asm_goto|asm_label|frame|writable_table|hands_on}}.int
