; With -fcharcoal-yields=loops a loop without calls gives way, too. A cycle of two entries needs a cut on either way round.
; OPTIONS: -charcoal-yields=loops
define void @f(ptr %p, i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  %d = load volatile i1, ptr %p
  br i1 %d, label %b, label %out
b:
  br label %a
out:
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK: entry:
; CHECK-NEXT: call void @charcoal.yield()
; CHECK: {{^(a|b):}}
; CHECK: call void @charcoal.yield()
; CHECK-NOT: call void @charcoal.yield()
; CHECK: ret void
