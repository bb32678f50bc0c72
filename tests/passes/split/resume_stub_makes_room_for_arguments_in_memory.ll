; A call in tail position stores its own there. Without such calls, and if registers hold them all, one stub serves all.
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i64 @wide.int(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) "charcoal-version-of"="wide" {
  call void @g.int() "charcoal-suspends"
  %r = musttail call i64 @wide.int(i64 %g, i64 %f, i64 %e, i64 %d, i64 %c, i64 %b, i64 %a) "charcoal-suspends"
  ret i64 %r
}
define i64 @few.int(i64 %a) "charcoal-version-of"="few" {
  call void @g.int() "charcoal-suspends"
  %r = musttail call i64 @few.int(i64 %a) "charcoal-suspends"
  ret i64 %r
}
define i64 @none.int(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) "charcoal-version-of"="none" {
  call void @g.int() "charcoal-suspends"
  ret i64 %g
}
; CHECK: @charcoal.info{{.*}} { ptr @charcoal.resume.i64.i64i64i64i64i64i64i64, ptr @wide.int,
; CHECK: @charcoal.info{{.*}} { ptr @charcoal.resume.i64., ptr @few.int,
; CHECK: @charcoal.info{{.*}} { ptr @charcoal.resume.i64., ptr @none.int,
; CHECK: define linkonce_odr hidden i32 @charcoal.resume.i64.i64i64i64i64i64i64i64(ptr %0)
; CHECK: call { i32, i64 } %{{.*}}(i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison)
; CHECK: define linkonce_odr hidden i32 @charcoal.resume.i64.(ptr %0)
; CHECK: call { i32, i64 } %{{.*}}()
