; A function that is resumed has the stub as its caller. The code generator loads an argument in memory as soon as the
; function is entered, and a vector by an instruction that ends the program if it is not aligned.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @use(<8 x i32>)
define void @h.int() "charcoal-version-of"="h" {
  ret void
}
define void @wide.int(<8 x i32> %a) "charcoal-version-of"="wide" "target-features"="+avx2" {
  call void @h.int() "charcoal-suspends"
  call void @use(<8 x i32> %a)
  ret void
}
; CHECK: define linkonce_odr hidden i32 @charcoal.resume.void.V8i32
; CHECK: call i32 %{{[0-9]+}}(<8 x i32> poison)
