; Other processors than x86-64 take the offset without the last four bits by one instruction, too, and so look only
; where an entry begins.
target triple = "aarch64-unknown-linux-gnu"
declare ptr @ch_version_of(ptr, ptr)
declare { i32, i32 } @adapter(i32)
define i32 @f.int(ptr %p) {
  %t = call ptr @ch_version_of(ptr %p, ptr @adapter)
  %r = call { i32, i32 } %t(i32 1)
  %v = extractvalue { i32, i32 } %r, 1
  ret i32 %v
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: %[[OFFSET:.*]] = and i64 %{{.*}}, 65520
; CHECK: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 %[[OFFSET]]
; CHECK-NEXT: %[[FIRST:.*]] = getelementptr inbounds i8, ptr %[[SLOT]], i64 0
; CHECK-NEXT: load ptr, ptr %[[FIRST]], align 8, !nosanitize
; CHECK-NEXT: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %[[SLOT]], i64 8
; CHECK-NEXT: load ptr, ptr %[[SECOND]], align 8, !nosanitize
