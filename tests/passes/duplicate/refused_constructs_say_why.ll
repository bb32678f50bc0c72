; OPTIONS: -charcoal-remarks
%large = type { [65 x i8] }
declare void @elsewhere()
declare i32 @getcontext(ptr) returns_twice
declare ptr @llvm.frameaddress.p0(i32)
declare ptr @llvm.returnaddress(i32)
declare ptr @llvm.stackaddress.p0()
declare ptr @llvm.eh.dwarf.cfa(i32)
declare i64 @llvm.read_register.i64(metadata)
declare void @llvm.eh.return.i64(i64, ptr)
declare void @llvm.write_register.i64(metadata, i64)
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
@indirect = ifunc void (), ptr @resolver
; CHECK-DAG: remark: in 'resolver': 'resolver' has only a plain version: it resolves an indirect function [-Rcharcoal]
define ptr @resolver() {
  call void @elsewhere()
  ret ptr @elsewhere
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
; CHECK-DAG: remark: in 'asm_label': 'asm_label' has only a plain version: its inline assembly defines a label or another name [-Rcharcoal]
define void @asm_label() {
  call void @elsewhere()
  call void asm sideeffect "here: nop", ""()
  ret void
}
; CHECK-DAG: remark: in 'asm_named_by_operand': 'asm_named_by_operand' has only a plain version: its inline assembly defines a label or another name [-Rcharcoal]
define void @asm_named_by_operand() {
  call void @elsewhere()
  call void asm sideeffect "end_${0:c}: nop", "i"(ptr @elsewhere)
  ret void
}
; CHECK-DAG: remark: in 'asm_place': 'asm_place' has only a plain version: its inline assembly defines a label or another name [-Rcharcoal]
define void @asm_place() {
  call void @elsewhere()
  call void asm sideeffect "nop; gap = .; nop", ""()
  ret void
}
; CHECK-DAG: remark: in 'asm_set': 'asm_set' has only a plain version: its inline assembly defines a label or another name [-Rcharcoal]
define void @asm_set() {
  call void @elsewhere()
  call void asm sideeffect ".set gap, 0f - 4; 0: nop", ""()
  ret void
}
; CHECK-DAG: remark: in 'asm_macro': 'asm_macro' has only a plain version: its inline assembly defines a label or another name [-Rcharcoal]
define void @asm_macro() {
  call void @elsewhere()
  call void asm sideeffect ".macro twice; nop; nop; .endm; twice", ""()
  ret void
}
; CHECK-DAG: remark: in 'shows_local': 'shows_local' has only a plain version: a function that it calls asks where its frame is [-Rcharcoal]
define void @shows_local() {
  %local = alloca i32
  call void @elsewhere()
  call void @compares(ptr %local)
  ret void
}
define void @compares(ptr %p) {
  call void @elsewhere()
  %r = call ptr @llvm.frameaddress.p0(i32 0)
  %below = icmp ult ptr %r, %p
  call void @llvm.assume(i1 %below)
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
; CHECK-DAG: remark: in 'weak_variadic': 'weak_variadic' has only a plain version: it is weak and takes a variable number of arguments [-Rcharcoal]
define weak void @weak_variadic(ptr %f, ...) {
  call void @elsewhere()
  ret void
}
; CHECK-DAG: remark: in 'stack_address': 'stack_address' has only a plain version: it asks where its frame is [-Rcharcoal]
define void @stack_address() {
  call void @elsewhere()
  %r = call ptr @llvm.stackaddress.p0()
  ret void
}
; CHECK-DAG: remark: in 'dwarf_cfa': 'dwarf_cfa' has only a plain version: it asks where its frame is [-Rcharcoal]
define void @dwarf_cfa() {
  call void @elsewhere()
  %r = call ptr @llvm.eh.dwarf.cfa(i32 0)
  ret void
}
; CHECK-DAG: remark: in 'register_variable': 'register_variable' has only a plain version: it asks where its frame is [-Rcharcoal]
define void @register_variable() {
  call void @elsewhere()
  %r = call i64 @llvm.read_register.i64(metadata !0)
  ret void
}
; CHECK-DAG: remark: in 'eh_return': 'eh_return' has only a plain version: it uses the stack pointer [-Rcharcoal]
define void @eh_return() {
  call void @elsewhere()
  call void @llvm.eh.return.i64(i64 0, ptr @elsewhere)
  ret void
}
; CHECK-DAG: remark: in 'written_register': 'written_register' has only a plain version: it uses the stack pointer [-Rcharcoal]
define void @written_register() {
  call void @elsewhere()
  call void @llvm.write_register.i64(metadata !0, i64 0)
  ret void
}
; CHECK-DAG: remark: in 'asm_operand': 'asm_operand' has only a plain version: it uses the stack pointer [-Rcharcoal]
define void @asm_operand() {
  call void @elsewhere()
  call void asm sideeffect "nop", "{rsp}"(ptr null)
  ret void
}
; CHECK-DAG: define void @asm_text() #[[NOT_INLINED:[0-9]+]]
; CHECK-DAG: remark: in 'asm_text': 'asm_text' has only a plain version: it uses the stack pointer [-Rcharcoal]
define void @asm_text() {
  call void @elsewhere()
  call void asm sideeffect "mov %rsp, $0", "=*m"(ptr elementtype(ptr) @table)
  ret void
}
; An instance of std::call_once.
; CHECK-DAG: remark: in 'hands_over': 'hands_over' has only a plain version: it hands its function to the C++ library by variables of the thread [-Rcharcoal]
declare void @once(ptr, ptr)
declare void @__once_proxy()
define void @hands_over() {
  call void @elsewhere()
  call void @once(ptr null, ptr @__once_proxy)
  ret void
}
; CHECK-DAG: remark: in 'inlines_asm_text': 'inlines_asm_text' has only a plain version: it uses the stack pointer [-Rcharcoal]
define void @inlines_asm_text() {
  call void @elsewhere()
  call void @always_inlined()
  ret void
}
define internal void @always_inlined() alwaysinline {
  call void asm sideeffect "mov [sp], x0", ""()
  ret void
}
; One that is not always inlined is not inlined at all. Names that contain the register's name are no reason.
; CHECK: define void @calls_asm_text.int()
define void @calls_asm_text() {
  call void @elsewhere()
  call void @asm_text()
  call void asm sideeffect "call esp_init; mov $$sp.x, %eax; add $$1, %rspace", ""()
  ret void
}
; A numeric label may stand twice.
; CHECK: define void @asm_number.int()
define void @asm_number() {
  call void @elsewhere()
  call void asm sideeffect "1: nop; jmp 1b", ""()
  ret void
}
; CHECK-NOT: @{{naked|handler|resolver|convention|coroutine|large|jumps|parameter|exceptions|asm_goto|asm_label|asm_named_by_operand|asm_place|asm_set|asm_macro|frame|writable_table|hands_on|weak_variadic|stack_address|dwarf_cfa|register_variable|eh_return|written_register|asm_operand|asm_text|inlines_asm_text|hands_over}}.int
; CHECK: attributes #[[NOT_INLINED]] = { {{.*}}noinline
!0 = !{!"rsp"}
