; Also where the optimiser has merged two look-ups, or kept one of which nobody makes use.
declare ptr @charcoal.version_of(ptr, ptr)
declare { i32, i32 } @adapter(i8 signext)
define i32 @f.int(i1 %c, ptr %p, ptr %q) "charcoal-version-of"="f" {
entry:
  br i1 %c, label %a, label %b
a:
  %x = call ptr @charcoal.version_of(ptr %p, ptr @adapter)
  br label %join
b:
  %y = call ptr @charcoal.version_of(ptr %q, ptr @adapter)
  %unused = call ptr @charcoal.version_of(ptr %p, ptr @adapter)
  br label %join
join:
  %t = phi ptr [ %x, %a ], [ %y, %b ]
  %r = call i32 %t(i8 signext 1) "charcoal-suspends"
  %s = add i32 %r, 1
  ret i32 %s
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: call preserve_mostcc ptr @ch_version_of(ptr %p, ptr @adapter)
; CHECK: call preserve_mostcc ptr @ch_version_of(ptr %q, ptr @adapter)
; CHECK: call preserve_mostcc ptr @ch_version_of(ptr %p, ptr @adapter)
; CHECK: call { i32, i32 } %t(i8 signext 1)
; CHECK-NOT: @charcoal.version
