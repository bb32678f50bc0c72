; Assembly that names another section, or returns to the one before, is right in any section; a section that the program
; chose stays.
declare void @declared()

define i32 @goes_back() {
  %r = call i32 asm ".data\0Ax: .int 1\0A.text\0Amovl x, $0", "=r"()
  ret i32 %r
}
; CHECK: define i32 @goes_back() section ".text" {

define void @goes_back_by_name() {
  call void asm sideeffect ".section .fixup; nop; .section \22.text\22, \22ax\22", ""()
  ret void
}
; CHECK: define void @goes_back_by_name() section ".text" {

define void @returns() {
  call void asm sideeffect ".section .text.unlikely; nop; .previous", ""()
  ret void
}
; CHECK: define void @returns() {

define void @chosen() section ".fast" {
  call void asm sideeffect ".data; .text", ""()
  ret void
}
; CHECK: define void @chosen() section ".fast" {
