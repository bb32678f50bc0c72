// A function whose calls are bounded needs no version that can suspend, nor do its callers.
// CHECK-NOT: .int
// CHECK-NOT: charcoal.
static int leaf(int n) { return n + 1; }
int caller(int n) {
  for (int i = 0; i < n; ++i)
    n ^= i;
  return leaf(n) + leaf(n + 1);
}
