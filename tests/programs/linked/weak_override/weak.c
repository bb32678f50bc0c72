static unsigned e;
__attribute__((noinline)) static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
__attribute__((weak)) int hook(int x) { return t(x) + 1000; }
__attribute__((weak)) int other_hook(int x) { return t(x) + 2000; }
__attribute__((weak)) int only_weak(int x) { return t(x) + 3000; }
int through_weak(int x) { return hook(t(x)) * 2 + other_hook(x); }
int (*address_from_weak(void))(int) {
  t(1);
  return hook;
}
