static int n;
__attribute__((noinline)) static int t(int x) {
  n += x;
  return x;
}
int hook(int x) { return t(x) + 1000; }
int not_replaced(int x) { return t(x) + 2000; }
int library_calls(int x) { return hook(t(x)) * 3 + not_replaced(x); }
int (*library_hook(void))(int) {
  t(1);
  return hook;
}
