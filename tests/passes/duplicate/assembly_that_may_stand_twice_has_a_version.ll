; Numeric labels, a macro that is purged, a symbol for a number: two copies of these do not disagree.
declare void @elsewhere()

define void @twice() {
  call void @elsewhere()
  call void asm sideeffect "0: jmp 0b; .set size, 8; width = size * 2; lea ${0:c}+., %rax", "i,~{rax}"(ptr @elsewhere)
  call void asm sideeffect ".macro twice; nop; nop; .endm; twice; .purgem twice", ""()
  ret void
}
; CHECK: define void @twice()
; CHECK: define void @twice.int()
