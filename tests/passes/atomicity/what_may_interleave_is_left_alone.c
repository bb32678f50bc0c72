// OPTIONS: -O1 -fcharcoal-atomicity
#define may_interleave __attribute__((annotate("charcoal.may_interleave")))
long checked, hits may_interleave;

static may_interleave void count(void) { checked++; }

void f(void) {
  hits++;
  count();
  checked = 0;
}
// CHECK-LABEL: define {{.*}} @f(
// CHECK-NOT: call void @ch_atomicity
// CHECK: store i64 0, ptr @checked
// CHECK-NEXT: call void @ch_atomicity_write(ptr @checked,
// CHECK-NEXT: ret void
