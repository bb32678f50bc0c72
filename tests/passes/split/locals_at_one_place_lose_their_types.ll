; Two locals at one place: accesses by different types to them were right for places of their own, and lose what they say
; about types, so that none moves before the other. A local with a place of its own keeps its types.
declare i32 @g(i32)

define float @f.int(i32 %n, i32 %m) "charcoal-version-of"="f" {
  %whole = alloca [4 x i32]
  %real = alloca [4 x float]
  %wi = getelementptr inbounds [4 x i32], ptr %whole, i32 0, i32 %n
  store i32 1, ptr %wi, !tbaa !1
  %x = call i32 @g(i32 1) "charcoal-suspends"
  %wj = getelementptr inbounds [4 x i32], ptr %whole, i32 0, i32 %m
  %c = load i32, ptr %wj, !tbaa !1
  %d = sitofp i32 %c to float
  %ri = getelementptr inbounds [4 x float], ptr %real, i32 0, i32 %n
  store float %d, ptr %ri, !tbaa !2
  %y = call i32 @g(i32 %x) "charcoal-suspends"
  %rj = getelementptr inbounds [4 x float], ptr %real, i32 0, i32 %m
  %e = load float, ptr %rj, !tbaa !2
  ret float %e
}
define i32 @alone.int(i32 %n, i32 %m) "charcoal-version-of"="alone" {
  %whole = alloca [4 x i32]
  %wi = getelementptr inbounds [4 x i32], ptr %whole, i32 0, i32 %n
  store i32 1, ptr %wi, !tbaa !1
  %x = call i32 @g(i32 1) "charcoal-suspends"
  %wj = getelementptr inbounds [4 x i32], ptr %whole, i32 0, i32 %m
  %c = load i32, ptr %wj, !tbaa !1
  ret i32 %c
}
!0 = !{!"C"}
!1 = !{!3, !3, i64 0}
!2 = !{!4, !4, i64 0}
!3 = !{!"int", !0}
!4 = !{!"float", !0}
; CHECK-LABEL: @f.int(
; CHECK-NOT: !tbaa
; CHECK: store float %{{.*}}, ptr
; CHECK-NOT: !tbaa
; CHECK-LABEL: @alone.int(
; CHECK: store i32 1, ptr %{{.*}}, !tbaa
; CHECK: load i32, ptr %{{.*}}, !tbaa
