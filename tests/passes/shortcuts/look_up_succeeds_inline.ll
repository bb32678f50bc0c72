; The version that was asked for lately stands in the thread's places; only where it does not is a function called that
; asks the runtime. The offset is the last 16 bits of the address, which need not be a multiple of 16.
declare ptr @ch_version_of(ptr, ptr)
declare { i32, i32 } @adapter(i32)
define i32 @f.int(ptr %p) {
  %t = call ptr @ch_version_of(ptr %p, ptr @adapter)
  %r = call { i32, i32 } %t(i32 1)
  %v = extractvalue { i32, i32 } %r, 1
  ret i32 %v
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: %[[OFFSET:.*]] = and i64 %[[ADDRESS]], 65535
; CHECK: %[[PLACES:.*]] = load ptr, ptr %{{.*}}, align 8, !nosanitize
; CHECK-NEXT: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %[[PLACES]], i64 %[[OFFSET]]
; CHECK-NEXT: %[[FIRST:.*]] = getelementptr inbounds i8, ptr %[[SLOT]], i64 0
; CHECK-NEXT: %[[THERE:.*]] = load ptr, ptr %[[FIRST]], align 1, !nosanitize
; CHECK-NEXT: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %[[SLOT]], i64 8
; CHECK-NEXT: %[[KNOWN:.*]] = load ptr, ptr %[[SECOND]], align 1, !nosanitize
; CHECK-NEXT: %[[OTHER:.*]] = icmp ne ptr %[[THERE]], %p
; CHECK-NEXT: br i1 %[[OTHER]], label %[[MISS:.*]], label %[[FOUND:.*]], !prof
; CHECK: [[MISS]]:
; CHECK: %[[ASKED:.*]] = call ptr @charcoal.look_up.adapter(ptr %p)
; CHECK: [[FOUND]]:
; CHECK-NEXT: %[[VERSION:.*]] = phi ptr [ %[[KNOWN]], %{{.*}} ], [ %[[ASKED]], %[[MISS]] ]
; CHECK-NEXT: call { i32, i32 } %[[VERSION]](i32 1)

; What is to be small stays as it is.
define i32 @small.int(ptr %p) optsize {
  %t = call ptr @ch_version_of(ptr %p, ptr @adapter)
  %r = call { i32, i32 } %t(i32 1)
  %v = extractvalue { i32, i32 } %r, 1
  ret i32 %v
}
; CHECK-LABEL: define i32 @small.int(
; CHECK-NEXT: %t = call ptr @ch_version_of(ptr %p, ptr @adapter)
; CHECK-NEXT: call { i32, i32 } %t(i32 1)

; On a way that is seldom taken, the same code stands in a function that all such ways with this adapter share.
define i32 @seldom.int(ptr %p, i1 %c) {
  br i1 %c, label %rare, label %usual, !prof !0
rare:
  %t = call ptr @ch_version_of(ptr %p, ptr @adapter)
  %r = call { i32, i32 } %t(i32 1)
  %v = extractvalue { i32, i32 } %r, 1
  ret i32 %v
usual:
  ret i32 0
}
!0 = !{!"branch_weights", i32 1, i32 100}
; CHECK-LABEL: define i32 @seldom.int(
; CHECK: rare:
; CHECK-NEXT: %t = call ptr @charcoal.look_up.adapter(ptr %p)
; CHECK-NEXT: call { i32, i32 } %t(i32 1)

; LLVM may have made one look-up of two.
declare double @another_adapter(double)
define i32 @joined.int(ptr %p, i1 %c) {
  %adapter = select i1 %c, ptr @adapter, ptr @another_adapter
  %t = call ptr @ch_version_of(ptr %p, ptr %adapter)
  %r = call { i32, i32 } %t(i32 1)
  %v = extractvalue { i32, i32 } %r, 1
  ret i32 %v
}
; CHECK-LABEL: define i32 @joined.int(
; CHECK: call ptr @ch_version_of(ptr %p, ptr %adapter)

; CHECK-LABEL: define linkonce_odr hidden ptr @charcoal.look_up.adapter(ptr %0)
; CHECK: hit:
; CHECK-NEXT: ret ptr
; CHECK: miss:
; CHECK-NEXT: %[[ASKED:.*]] = tail call ptr @ch_version_of(ptr %0, ptr @adapter)
; CHECK-NEXT: ret ptr %[[ASKED]]
