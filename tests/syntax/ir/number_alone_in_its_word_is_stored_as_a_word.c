// A copied number that has the last word of the record for itself, such as a descriptor, is stored as a whole word: the
// record then consists of words. Two that share a word are stored one by one; so is a string that ends inside a word.
// OPTIONS: -O1
// STAGE: outline
#include <charcoal.h>
void serve(int);
void pair(int, int);
void print(const char *);
void f(int descriptor, int size) {
  activate serve(descriptor);
  activate pair(descriptor, size);
  char text[5] = "name";
  text[0] = (char)descriptor;
  activate (text) { print(text); }
}
// CHECK-LABEL: define dso_local void @f(
// CHECK: zext i32 %{{.*}} to i64
// CHECK-NEXT: store i64
// CHECK-NEXT: call i32 @ch_spawn(ptr null, ptr @f.activity, ptr %{{.*}}, i64 8, i32 2,
// CHECK-NOT: zext
// CHECK: call i32 @ch_spawn(ptr null, ptr @f.activity{{.*}}, ptr %{{.*}}, i64 8, i32 2,
// CHECK-NOT: zext
// CHECK: call i32 @ch_spawn(ptr null, ptr @f.activity{{.*}}, ptr %{{.*}}, i64 5, i32 2,
// CHECK: ret void
