declare void @__charcoal_yield()
define void @f(i1 %now) {
  br i1 %now, label %then, label %end
then:
  call void @__charcoal_yield()
  br label %end
end:
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK: br i1 %now, label %then, label %end, !prof ![[UNLIKELY:[0-9]+]]
; CHECK: ![[UNLIKELY]] = !{!"branch_weights", i32 1, i32 {{[0-9]+}}}
