struct v {
  long a, b, c;
};
struct v b(int, struct v, int (*)(int));
static int n;
__attribute__((noinline)) static int t(int x) {
  n += x;
  return x;
}
static int mine(int x) { return t(x) + n; }
struct v a(int d, struct v x, int (*f)(int)) {
  if (d == 0)
    return x;
  x.a += f(d);
  x.b = x.b * 3 + mine(d);
  struct v y = b(d - 1, x, mine);
  y.c += x.a + t(d);
  return y;
}
