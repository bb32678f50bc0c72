// clang 22 stores whole words where a structure comes out of a call of Swift, and loads whole words where one goes in.
// OPTIONS: -O0

struct odd { // 13 bytes: two words of 8
  char bytes[13];
};
struct small { // 7 bytes: one word of 8
  char bytes[7];
};
struct large { // 29 bytes: four words of 8, and the C convention returns it in memory
  char bytes[29];
};
struct even {
  long words[2];
};
void see(void *);

// CHECK-LABEL: define dso_local swiftcc { i64, i64 } @passes_odd
// CHECK: [[SECOND:%.*]] = getelementptr inbounds nuw { i64, i64 }, ptr %given, i32 0, i32 1
// CHECK: [[LAST:%.*]] = trunc i64 %{{.*}} to i40
// CHECK-NEXT: store i40 [[LAST]], ptr [[SECOND]]
// CHECK: [[SECOND:%.*]] = getelementptr inbounds nuw { i64, i64 }, ptr %retval, i32 0, i32 1
// CHECK-NEXT: [[LAST:%.*]] = load i40, ptr [[SECOND]]
// CHECK-NEXT: zext i40 [[LAST]] to i64
__attribute__((swiftcall)) struct odd passes_odd(struct odd given) {
  see(&given);
  return given;
}

// CHECK-LABEL: define dso_local swifttailcc i64 @passes_small
// CHECK: store i56
// CHECK: load i56
__attribute__((swiftasynccall)) struct small passes_small(struct small given) { return given; }

// The word at the end of the last element goes past the array.
// CHECK-LABEL: define dso_local void @calls()
// CHECK: call swiftcc { i64, i64 } @passes_odd
// CHECK: store i64
// CHECK: store i64
// CHECK: call swiftcc { i64, i64 } @passes_odd
// CHECK: store i64
// CHECK: store i40
void calls(void) {
  struct odd two[2] = {passes_odd((struct odd){}), passes_odd((struct odd){})};
  see(two);
}

// CHECK-LABEL: define dso_local void @returns_in_memory(
// CHECK: load i40
// CHECK: call swiftcc { i64, i64, i64, i64 } @passes_large
// CHECK: store i40
__attribute__((swiftcall)) struct large passes_large(struct large);
struct large returns_in_memory(struct large given) { return passes_large(given); }

// CHECK-LABEL: define dso_local swiftcc { i64, i64 } @passes_even
// CHECK-NOT: {{load|store}} i{{[0-57-9]}}
__attribute__((swiftcall)) struct even passes_even(struct even given) { return given; }

// What the program itself does behind the end of a local stays its mistake, which the sanitizers report.
// CHECK-LABEL: define dso_local swiftcc i64 @mistakes
// CHECK-NOT: i32 %
// CHECK: store i64 %{{.*}}, ptr %near
// CHECK: load i64, ptr %near
__attribute__((swiftcall)) long mistakes(long a) {
  int near = 0;
  *(long *)&near = a + 1;
  long there = *(long *)&near + 1;
  return there;
}
