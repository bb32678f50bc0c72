// That the C library's malloc always returns is known, so there is no version to be asked for elsewhere: one is made
// here, for calls through pointers alone. What may wait, and what is only called, has none.
// OPTIONS: -O0
#include <stdlib.h>
#include <unistd.h>

struct memory {
  void *(*take)(size_t);
  unsigned (*sleeps)(unsigned);
} memory = {malloc, sleep};

void *use(void) {
  free(memory.take(8));
  return memory.take(16);
}
// CHECK-LABEL: define {{.*}} @use.int(
// CHECK: call void @free(
// CHECK-NOT: @free.int
// CHECK-NOT: define {{.*}} @sleep.int(
// CHECK: define internal ptr @malloc.int(i64 {{.*}})
// CHECK-NEXT: %{{.*}} = call ptr @malloc(i64 %{{.*}})
// CHECK-NEXT: ret ptr
