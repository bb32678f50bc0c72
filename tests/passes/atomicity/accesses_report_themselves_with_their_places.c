// OPTIONS: -O1 -fcharcoal-atomicity
long shared;
static const long fixed = 3;
void wait_for_it(void);

void add(long *p) {
  long mine = *p;
  wait_for_it();
  *p = mine + fixed;
  shared = 0;
}

// The write rests on the read; both are of one activation, which can be suspended.
// CHECK: @charcoal.place = private constant {{.*}} i32 7, i32 15, i32 8, i32 0 }
// CHECK: @charcoal.place{{.*}} [3 x ptr] [ptr @charcoal.place, ptr null, ptr null], i32 9, i32 6, i32 8, i32 0 }
// CHECK: @llvm.global_ctors = appending global {{.*}} @ch_atomicity_begin
// CHECK-LABEL: define {{.*}} @add.int(
// CHECK: %[[ENTERED:.*]] = call i32 @ch_atomicity_enter()
// CHECK: %[[MINE:.*]] = load i64, ptr %p
// CHECK-NEXT: call void @ch_atomicity_read(ptr %p, ptr @charcoal.place{{.*}}, i32 %[[ENTERED]])
// CHECK: call void @wait_for_it.int()
// CHECK: store i64 %{{.*}}, ptr %p
// CHECK-NEXT: call void @ch_atomicity_write(ptr %p, ptr @charcoal.place{{.*}}, i32 %[[ENTERED]])
// CHECK: store i64 0, ptr @shared
// CHECK-NEXT: call void @ch_atomicity_write(ptr @shared,
// CHECK: ret void
