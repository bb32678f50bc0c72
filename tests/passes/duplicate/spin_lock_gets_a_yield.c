// Whoever holds the lock may have been set aside: a loop that waits for memory to change gives way like one that calls.
int held;
void lock(void) {
  while (__atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE))
    ;
}
volatile int ready;
void await(void) {
  while (!ready)
    ;
}
int count(int *numbers, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += numbers[i];
  return sum;
}
// CHECK-DAG: define dso_local void @lock.int(
// CHECK-DAG: define dso_local void @await.int(
// CHECK-NOT: @count.int
