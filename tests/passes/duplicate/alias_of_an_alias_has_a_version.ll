; Another module calls a function by any of its names.
declare void @elsewhere()
define void @f() {
  call void @elsewhere()
  ret void
}
@first = alias void (), ptr @f
@second = alias void (), ptr @first
@third = weak alias void (), ptr @second
; CHECK-DAG: @first.int = alias {{.*}}, ptr @f.int
; CHECK-DAG: @second.int = alias {{.*}}, ptr @f.int
; CHECK: define weak {{.*}} @third.int()
; CHECK-NEXT: call void @f.int()
