; The linker keeps one copy of each glue function for the program. One made for a processor that a single file is
; compiled for would run everywhere. So it has a name of its own, which is empty for what clang takes by itself.
declare ptr @charcoal.version_of(ptr, ptr)
define dso_local void @usual.int(ptr %p, i32 %n) "charcoal-version-of"="usual" #0 {
  %t = call ptr @charcoal.version_of(ptr %p, ptr null)
  call void %t(i32 %n) "charcoal-suspends"
  store i32 0, ptr %p
  ret void
}
define dso_local void @unusual.int(ptr %p, i32 %n) "charcoal-version-of"="unusual" #1 {
  %t = call ptr @charcoal.version_of(ptr %p, ptr null)
  call void %t(i32 %n) "charcoal-suspends"
  store i32 0, ptr %p
  ret void
}
attributes #0 = { "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" }
attributes #1 = { "target-cpu"="x86-64" "target-features"="+avx,+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" }
; CHECK-DAG: @charcoal.direct.usual.void.p0i32 = 
; CHECK-DAG: @charcoal.direct.unusual.void.p0i32.[[AVX:[0-9]+]] =
; CHECK-DAG: define linkonce_odr hidden {{.*}} @charcoal.entry.handed.i64.i64i64i64(i64 %0, i64 %1, i64 %2, ptr %3) #[[USUAL:[0-9]+]] comdat
; CHECK-DAG: define linkonce_odr hidden {{.*}} @charcoal.entry.handed.i64.i64i64i64.[[AVX]](i64 %0, i64 %1, i64 %2, ptr %3) #[[UNUSUAL:[0-9]+]] comdat
; CHECK-DAG: define linkonce_odr hidden i32 @charcoal.resume.void.(ptr %0)
; CHECK-DAG: define linkonce_odr hidden i32 @charcoal.resume.void..[[AVX]](ptr %0)
; CHECK-DAG: attributes #[[USUAL]] = { {{.*}}"target-features"="+cmov,+cx8
; CHECK-DAG: attributes #[[UNUSUAL]] = { {{.*}}"target-features"="+avx,
