// clang 22 stores whole words where a structure comes out of a call of Swift, and loads whole words where one goes in.
// OPTIONS: -O0

struct odd { // 13 bytes: two words of 8
  char bytes[13];
};
struct small { // 7 bytes: one word of 8
  char bytes[7];
};
struct even {
  long words[2];
};
void see(void *);

// CHECK-LABEL: define dso_local swiftcc { i64, i64 } @passes_odd
// CHECK: alloca <{ %struct.odd, [3 x i8] }>, align 1
// CHECK-NOT: alloca %struct.odd
__attribute__((swiftcall)) struct odd passes_odd(struct odd given) {
  see(&given);
  return given;
}

// CHECK-LABEL: define dso_local swifttailcc i64 @passes_small
// CHECK: alloca <{ %struct.small, [1 x i8] }>, align 1
__attribute__((swiftasynccall)) struct small passes_small(struct small given) { return given; }

// The word at the end of the last element goes past the array.
// CHECK-LABEL: define dso_local void @calls()
// CHECK: alloca <{ [2 x %struct.odd], [3 x i8] }>, align {{[0-9]+}}
void calls(void) {
  struct odd two[2] = {passes_odd((struct odd){}), passes_odd((struct odd){})};
  see(two);
}

// CHECK-LABEL: define dso_local swiftcc { i64, i64 } @passes_even
// CHECK-NOT: alloca <{
__attribute__((swiftcall)) struct even passes_even(struct even given) { return given; }

// What the program itself does behind the end of a local stays its mistake, which the sanitizers report.
// CHECK-LABEL: define dso_local swiftcc i64 @mistakes
// CHECK-NOT: alloca <{
__attribute__((swiftcall)) long mistakes(long a) {
  int near = 0;
  *(long *)&near = a + 1;
  long there = *(long *)&near + 1;
  return there;
}
