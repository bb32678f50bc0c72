declare void @charcoal.yield()
define void @f.int(ptr %p) "charcoal-version-of"="f" {
entry:
  br label %outer
outer:
  call void @charcoal.yield()
  br label %inner
inner:
  call void @charcoal.yield()
  call void @charcoal.yield()
  %c = load volatile i1, ptr %p
  br i1 %c, label %inner, label %latch
latch:
  %d = load volatile i1, ptr %p
  br i1 %d, label %outer, label %end
end:
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK: {{^}}outer:
; CHECK-NOT: call void @charcoal.yield()
; CHECK: {{^}}inner:
; CHECK: call void @charcoal.yield()
; CHECK-NOT: call void @charcoal.yield()
; CHECK: }
