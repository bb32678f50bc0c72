// A cycle waits also if it counts or backs off in a volatile local, or looks into a local that ends before the jump
// out. Of the latter, clang notes in a variable which jump is made. A cycle that may end by itself gets no yield.
// OPTIONS: -O2
volatile int ready;
int counted;

// CHECK-LABEL: define {{.*}}@counts_in_a_volatile_local.int(
// CHECK-COUNT-2: call void @charcoal.yield
void counts_in_a_volatile_local(void) {
  volatile int n = 0;
  while (!ready)
    n++;
}

// CHECK-LABEL: define {{.*}}@backs_off.int(
// CHECK-COUNT-2: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
void backs_off(void) {
  for (;;) {
    int seen = ready;
    if (seen)
      break;
    for (volatile int i = 0; i < 10; i++)
      ;
  }
}

// CHECK-LABEL: define {{.*}}@looks_into_a_local.int(
// CHECK-COUNT-2: call void @charcoal.yield
void looks_into_a_local(void) {
  int turns = 0;
  for (;;) {
    int seen = ready;
    if (seen)
      break;
    turns++;
  }
  if (turns > 100)
    counted = turns;
}

// CHECK-LABEL: define {{.*}}@delays.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
void delays(void) {
  for (volatile int i = 0; i < 1000; i++)
    ;
}

// CHECK-LABEL: define {{.*}}@tries_for_a_while.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
void tries_for_a_while(void) {
  int turns = 0;
  for (;;) {
    int seen = ready;
    if (seen)
      break;
    if (turns++ > 1000)
      break;
  }
}

// CHECK-LABEL: define {{.*}}@searches.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
// CHECK: ret
void searches(volatile int *from) {
  for (;;) {
    int seen = *from++;
    if (seen)
      break;
  }
}
