declare void @charcoal.yield()
declare ptr @charcoal.version_of(ptr, ptr)
declare i32 @charcoal.call.i32.p0(ptr)

; It always returns soon, so the call is plain.
define internal i32 @short(ptr %p) {
  ret i32 1
}
define internal i32 @short.int(ptr %p) "charcoal-version-of"="short" "charcoal-bounded" {
  ret i32 1
}

define internal i32 @long(ptr %p) {
  ret i32 2
}
define internal i32 @long.int(ptr %p) "charcoal-version-of"="long" {
  call void @charcoal.yield()
  ret i32 2
}

; It cannot be interrupted.
define internal i32 @refused(ptr %p) {
  ret i32 3
}

; The linker may choose another one.
define weak i32 @weak(ptr %p) {
  ret i32 4
}
define weak i32 @weak.int(ptr %p) "charcoal-version-of"="weak" {
  ret i32 4
}

declare i32 @elsewhere(ptr)

define i32 @f.int(ptr %p) "charcoal-version-of"="f" {
  %a = call ptr @charcoal.version_of(ptr @short, ptr @charcoal.call.i32.p0)
  %b = call ptr @charcoal.version_of(ptr @long, ptr @charcoal.call.i32.p0)
  %c = call ptr @charcoal.version_of(ptr @refused, ptr @charcoal.call.i32.p0)
  %d = call ptr @charcoal.version_of(ptr @weak, ptr @charcoal.call.i32.p0)
  %e = call ptr @charcoal.version_of(ptr @elsewhere, ptr @charcoal.call.i32.p0)
  %1 = call i32 %a(ptr %p) #0
  %2 = call i32 %b(ptr %p) #0
  %3 = call i32 %c(ptr %p) #0
  %4 = call i32 %d(ptr %p) #0
  %5 = call i32 %e(ptr %p) #0
  ret i32 %5
}
; CHECK-LABEL: define i32 @f.int
; CHECK-NEXT: %[[WEAK:.*]] = call ptr @charcoal.version_of(ptr @weak
; CHECK-NEXT: %[[ELSEWHERE:.*]] = call ptr @charcoal.version_of(ptr @elsewhere
; CHECK-NEXT: call i32 @short(ptr %p){{$}}
; CHECK-NEXT: call i32 @long.int(ptr %p) #[[SUSPENDS:.*]]
; CHECK-NEXT: call i32 @refused(ptr %p){{$}}
; CHECK-NEXT: call i32 %[[WEAK]](ptr %p) #[[SUSPENDS]]
; CHECK-NEXT: call i32 %[[ELSEWHERE]](ptr %p) #[[SUSPENDS]]

; Another prototype needs the adapter.
define void @g.int(ptr %p) "charcoal-version-of"="g" {
  %a = call ptr @charcoal.version_of(ptr @short, ptr @charcoal.call.i32.p0)
  call void %a(ptr %p) #0
  ret void
}
; CHECK-LABEL: define void @g.int
; CHECK-NEXT: %[[A:.*]] = call ptr @charcoal.version_of(ptr @short
; CHECK-NEXT: call void %[[A]](ptr %p)

attributes #0 = { "charcoal-suspends"="" }
