; %first has ended when %second begins: 24 + 8 + 8 bytes. What was stored to the one by its type stays before what is
; stored to the other by another. %both is alive beside either and has a place of its own in @beside.
declare void @remember(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}

define void @f.int() "charcoal-version-of"="f" {
  %first = alloca i64
  %second = alloca double
  call void @llvm.lifetime.start.p0(ptr %first)
  call void @remember(ptr %first)
  call void @g.int() "charcoal-suspends"
  call void @llvm.lifetime.end.p0(ptr %first)
  call void @llvm.lifetime.start.p0(ptr %second)
  call void @remember(ptr %second)
  call void @g.int() "charcoal-suspends"
  call void @llvm.lifetime.end.p0(ptr %second)
  ret void
}

define void @beside.int() "charcoal-version-of"="beside" {
  %first = alloca i64
  %second = alloca double
  %both = alloca i64
  call void @llvm.lifetime.start.p0(ptr %both)
  call void @llvm.lifetime.start.p0(ptr %first)
  call void @remember(ptr %first)
  call void @g.int() "charcoal-suspends"
  call void @llvm.lifetime.end.p0(ptr %first)
  call void @remember(ptr %both)
  call void @llvm.lifetime.start.p0(ptr %second)
  call void @remember(ptr %second)
  call void @g.int() "charcoal-suspends"
  call void @llvm.lifetime.end.p0(ptr %second)
  call void @llvm.lifetime.end.p0(ptr %both)
  ret void
}
; CHECK: @charcoal.info = internal constant %charcoal.frame_info { {{.*}}, i32 2, i32 40, i32 8, i32 16, i16 1,
; CHECK: @charcoal.info.{{.*}} = internal constant %charcoal.frame_info { {{.*}}, i32 2, i32 48, i32 8, i32 16, i16 1,
; CHECK-LABEL: define i32 @f.int(
; CHECK: call void asm sideeffect "", "~{memory}"()
; CHECK: getelementptr inbounds i8, ptr %frame, i64 32
; CHECK: call void asm sideeffect "", "~{memory}"()
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 32
