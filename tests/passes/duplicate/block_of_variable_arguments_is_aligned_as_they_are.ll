; One block serves both calls: as large as the larger, aligned as the most aligned.
declare void @elsewhere(i32, ...)
define void @f(ptr %large, i32 %x) {
  call void (i32, ...) @elsewhere(i32 1, i32 %x, ptr byval([64 x i8]) align 64 %large)
  call void (i32, ...) @elsewhere(i32 2, i32 %x)
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK: %variable_arguments = alloca [128 x i8], align 64
; CHECK: %[[FIRST:.*]] = getelementptr inbounds i8, ptr %variable_arguments, i64 24
; CHECK-NEXT: %[[SLOT:.*]] = zext i32 %x to i64
; CHECK-NEXT: store volatile i64 %[[SLOT]], ptr %[[FIRST]]
; CHECK-NEXT: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %variable_arguments, i64 64
; CHECK-NEXT: call void @llvm.memcpy{{.*}}(ptr align 8 %[[SECOND]], ptr align 64 %large, i64 64
