static int n;
__attribute__((noinline)) static int t(int x) {
  n += x;
  return x;
}
int hook(int x) { return t(x) + t(7); }
