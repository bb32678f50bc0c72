; Also the pauses of a stress build, and all that plain functions contain.
declare void @charcoal.yield()
declare void @charcoal.pause()
define void @f.int() "charcoal-version-of"="f" {
  call void @charcoal.yield() "charcoal-explicit"
  call void @charcoal.pause()
  call void @charcoal.yield() "charcoal-explicit"
  call void @charcoal.pause()
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK-NEXT: call void @charcoal.yield()
; CHECK-NEXT: call void @charcoal.pause()
; CHECK-NEXT: call void @charcoal.yield()
; CHECK-NEXT: call void @charcoal.pause()
; CHECK-NEXT: ret void
