; OPTIONS: -mtriple=aarch64-linux-gnu -mattr=+sve
; The image has a size that the compiler knows, and a vector of SVE has none: what one holds is in a block of variable
; length, and so is a local of such a type. A vector that crosses no call stays where it is.
declare void @use(ptr)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define void @value.int(ptr %p, ptr %q) "charcoal-version-of"="value" {
  %v = load <vscale x 4 x float>, ptr %p
  call void @g.int() "charcoal-suspends"
  %w = fadd <vscale x 4 x float> %v, %v
  store <vscale x 4 x float> %w, ptr %q
  ret void
}
; CHECK-LABEL: define i32 @value.int(
; CHECK: %[[SCALE:.*]] = call i64 @llvm.vscale.i64()
; CHECK: %[[SIZE:.*]] = {{shl|mul}} {{.*}}i64 %[[SCALE]], {{4|16}}
; CHECK: %[[COUNT:.*]] = mul i64 %[[SIZE]], 1
; CHECK: %[[BLOCK:.*]] = call ptr @ch_alloca(ptr %{{.*}}, i64 %[[COUNT]], i64 16)
; CHECK-NEXT: store ptr %[[BLOCK]], ptr %[[SLOT:.*]], align 8
; CHECK: store <vscale x 4 x float> %{{.*}}, ptr %[[BLOCK]], align 16
; CHECK: {{^}}after:
; CHECK: %[[AGAIN:.*]] = load ptr, ptr %[[SLOT]]
; CHECK: load <vscale x 4 x float>, ptr %[[AGAIN]], align 16
; CHECK: call void @ch_alloca_release(ptr %{{.*}}, ptr null)
define void @local.int() "charcoal-version-of"="local" {
  %l = alloca <vscale x 2 x i64>
  call void @g.int() "charcoal-suspends"
  call void @use(ptr %l)
  ret void
}
; CHECK-LABEL: define i32 @local.int(
; CHECK-NOT: alloca <vscale
; CHECK: call ptr @ch_alloca(
define void @neither.int(ptr %p) "charcoal-version-of"="neither" {
  call void @g.int() "charcoal-suspends"
  %v = load <vscale x 4 x float>, ptr %p
  store <vscale x 4 x float> %v, ptr %p
  ret void
}
; CHECK-LABEL: define i32 @neither.int(
; CHECK-NOT: ch_alloca
; CHECK: ret i32 0
