; The image: the function (ch_tls.entry at 32), ch_tls.callee (40), the arguments, a by-value one as a whole.
define void @f.int(i32 %x, ptr byval([24 x i8]) align 8 %s) "charcoal-version-of"="f" {
  ret void
}
; CHECK: @charcoal.entry.info = internal constant %charcoal.frame_info { ptr @[[REENTER:charcoal.reenter.void.i32b24a8]], ptr @charcoal.entry.void.i32b24a8, ptr null, ptr null, ptr null, i32 1, i32 72, i32 48, i32 16, i16 2, i16 0, i32 80, ptr null }
; CHECK: define i32 @f.int(i32 %x, ptr %s)
; CHECK: define linkonce_odr hidden i32 @charcoal.entry.void.i32b24a8(i32 %0, ptr %1)
; CHECK: %[[IMAGE:.*]] = alloca [48 x i8]
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 32
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 40
; CHECK: %[[X:.*]] = getelementptr inbounds i8, ptr %[[IMAGE]], i64 16
; CHECK: store i32 %0, ptr %[[X]]
; CHECK: %[[S:.*]] = getelementptr inbounds i8, ptr %[[IMAGE]], i64 24
; CHECK: call void @llvm.memcpy{{.*}}(ptr align 1 %[[S]], ptr align 1 %1, i64 24
; CHECK: call i32 @ch_suspend_{{[0-9]}}(ptr @charcoal.entry.info, ptr %[[IMAGE]], i32 10)
; CHECK: define linkonce_odr hidden i32 @[[REENTER]](ptr %0)
; CHECK: call { i64, i64 } @ch_restore_{{[0-9]}}(ptr %[[COPY:.*]])
; CHECK: %[[THERE:.*]] = getelementptr inbounds i8, ptr %[[COPY]], i64 24
; CHECK: call i32 %{{.*}}(i32 %{{.*}}, ptr %[[THERE]])
