; Nothing has happened yet: no point of its own.
declare void @charcoal.yield()
define void @f.int(ptr %p) "charcoal-version-of"="f" {
  %local = alloca i32
  call void @charcoal.yield()
  store i32 0, ptr %p
  ret void
}
; CHECK-NOT: @charcoal.info
; CHECK-LABEL: define i32 @f.int(
; CHECK: load volatile i32
; CHECK-NOT: load volatile i32
; CHECK: tail call i32 @charcoal.entry.handed.i64.i64i64i64(ptr %p,
