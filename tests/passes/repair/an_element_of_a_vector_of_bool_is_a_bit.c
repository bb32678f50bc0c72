// clang 22 inserts the byte itself, or as many bits as the vector has.
typedef _Bool flags __attribute__((ext_vector_type(8)));
typedef _Bool many __attribute__((ext_vector_type(16)));
typedef _Bool odd __attribute__((ext_vector_type(33)));

// CHECK-LABEL: define dso_local i8 @change
// CHECK: [[bit:%[0-9]+]] = trunc i8 {{%.*}} to i1
// CHECK: insertelement <8 x i1> {{%.*}}, i1 [[bit]], i32 3
// CHECK: insertelement <8 x i1> {{%.*}}, i1 true, i32 5
flags change(flags all, _Bool one) {
  all[3] = one;
  all[5] = 1;
  return all;
}

// CHECK-LABEL: define dso_local i16 @change_many
// CHECK: [[bit:%[0-9]+]] = trunc i16 {{%.*}} to i1
// CHECK: insertelement <16 x i1> {{%.*}}, i1 [[bit]], i32 %{{.*}}
many change_many(many all, int which, _Bool one) {
  all[which] = one;
  return all;
}

// CHECK-LABEL: define dso_local void @change_odd
// CHECK: [[bit:%[0-9]+]] = trunc i33 {{%.*}} to i1
// CHECK: insertelement <33 x i1> {{%.*}}, i1 [[bit]], i32 32
void change_odd(odd *all, _Bool one) { (*all)[32] = one; }
