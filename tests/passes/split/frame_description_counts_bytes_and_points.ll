; resume, fn, name, file, lines, points, size, image, align, flags, small; the image of two i64 and one i32 is 24 bytes,
; the header 24.
declare void @use(i64, i64, i32)
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int(i64 %a, i64 %b, i32 %c) "charcoal-version-of"="written" {
  call void @g.int() "charcoal-suspends"
  call void @g.int() "charcoal-suspends"
  call void @use(i64 %a, i64 %b, i32 %c)
  ret i32 %c
}
; CHECK-DAG: @charcoal.text = private unnamed_addr constant [8 x i8] c"written\00"
; CHECK-DAG: @charcoal.info = internal constant %charcoal.frame_info { ptr @charcoal.resume.i32., ptr @f.int, ptr @charcoal.text, ptr null, ptr null, i32 2, i32 48, i32 24, i32 16, i16 0, i16 0, i32 48, ptr null }
