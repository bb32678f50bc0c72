// Between two calls nobody comes in between, also if the code looks at shared memory: only a cycle that ends by nothing
// but somebody else's change has a yield point, for it would never end otherwise. It may count its turns meanwhile.
volatile int ready;
volatile unsigned long counted;
int held;
_Atomic long sum;
void use_it(void);
void counts_in_memory(void) {
  while (!ready && counted < 1000)
    counted++;
}
int counts_in_a_local(void) {
  int n = 0;
  while (!ready && n < 1000)
    n++;
  return n;
}
void adds(void) {
  while (sum++ < 1000)
    ;
}
void swaps(int *a, int *b) {
  while (ready) {
    int c = *a;
    *a = *b;
    *b = c;
  }
}
struct item { struct item *volatile next; volatile int key; };
struct item *search_a_list(struct item *from, int key) {
  while (from->next && from->key != key)
    from = from->next;
  return from;
}
int search_an_array(volatile int *from, int key) {
  int i = 0;
  while (from[i] != key)
    i++;
  return i;
}
void tries_for_a_while(int verbose) {
  for (int n = 0;; n++) {
    if (n > 1000 && !verbose)
      break;
    if (ready)
      break;
  }
}
// CHECK-LABEL: define {{.*}}@counts_in_memory.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@counts_in_a_local.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@adds.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@swaps.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@search_a_list.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@search_an_array.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@tries_for_a_while.int(
// CHECK: call void @charcoal.yield
// CHECK-NOT: call void @charcoal.yield
int waits_for_a_value(void) {
  int v;
  while ((v = ready) == 0)
    ;
  return v;
}
void waits_with_a_pause(void) {
  while (__atomic_load_n(&held, __ATOMIC_RELAXED))
    __asm__ volatile("pause" ::: "memory");
}
void takes_a_lock(void) {
  int expected = 0;
  while (!__atomic_compare_exchange_n(&held, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    expected = 0;
}
void waits_inside(int *a) {
  for (int i = 0; i < 10; i++) {
    a[i] = i;
    while (!ready)
      ;
  }
}
void alternates(void) {
  for (int a = 0, b = 1; !ready; a = b, b = !a)
    ;
}
long counts_meanwhile(void) {
  long turns = 0;
  while (!ready || held)
    turns++;
  return turns;
}
void backs_off(int *lock) {
  for (int pauses = 1;; pauses = pauses < 64 ? 2 * pauses : pauses) {
    for (int i = 0; i < pauses; i++)
      __builtin_ia32_pause();
    int expected = 0;
    if (!__atomic_load_n(lock, __ATOMIC_RELAXED) &&
        __atomic_compare_exchange_n(lock, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
  }
}
// CHECK-LABEL: define {{.*}}@waits_for_a_value.int(
// CHECK: call void @charcoal.yield
// CHECK: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@waits_with_a_pause.int(
// CHECK: call void @charcoal.yield
// CHECK: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@takes_a_lock.int(
// CHECK: call void @charcoal.yield
// CHECK: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@waits_inside.int(
// CHECK: call void @charcoal.yield
// CHECK: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@alternates.int(
// CHECK: call void @charcoal.yield
// CHECK: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@counts_meanwhile.int(
// CHECK: call void @charcoal.yield
// CHECK: call void @charcoal.yield
// CHECK-LABEL: define {{.*}}@backs_off.int(
// CHECK: call void @charcoal.yield
// CHECK: call void @charcoal.yield
