#define V(x) __attribute__((visibility(#x)))
static int n;
__attribute__((noinline)) static int t(int x) {
  n += x;
  return x;
}
V(hidden) int hid(int x) { return t(x) + 1; }
V(protected) int api_p(int x) { return hid(t(x)) * 2; }
V(default) int api_d(int x) {
  int (*volatile f)(int) = hid;
  return f(x) + api_p(x);
}
int def(int x) { return t(x) + 5; }
V(default) int (*api_get(int k))(int) { return t(k) ? def : api_d; }
V(default) int not_exported(int x) { return t(x); }
V(default) int api_uses(int x) { return not_exported(x) + def(x); }
