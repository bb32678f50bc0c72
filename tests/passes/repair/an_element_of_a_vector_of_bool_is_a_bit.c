// clang 22 inserts the byte itself.
typedef _Bool flags __attribute__((ext_vector_type(8)));

// CHECK-LABEL: define dso_local i8 @change
// CHECK: [[bit:%[0-9]+]] = trunc i8 {{%.*}} to i1
// CHECK: insertelement <8 x i1> {{%.*}}, i1 [[bit]], i32 3
// CHECK: insertelement <8 x i1> {{%.*}}, i1 true, i32 5
flags change(flags all, _Bool one) {
  all[3] = one;
  all[5] = 1;
  return all;
}
