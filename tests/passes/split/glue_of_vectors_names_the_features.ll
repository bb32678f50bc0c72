; Which registers hold one depends on them, and glue is shared between modules.
declare ptr @charcoal.version_of(ptr, ptr)
define void @f.int(ptr %p, <8 x float> %v) "charcoal-version-of"="f" "target-features"="+avx" {
  %t = call ptr @charcoal.version_of(ptr %p, ptr null)
  call void %t(<8 x float> %v) "charcoal-suspends"
  store i32 0, ptr %p
  ret void
}
; CHECK: define linkonce_odr hidden i32 @[[NAME:charcoal.entry.void.[A-Za-z0-9]+\.[0-9]+]](ptr %0, <8 x float> %1) #[[A:[0-9]+]]
; CHECK: attributes #[[A]] = { {{.*}}"target-features"="+avx"
