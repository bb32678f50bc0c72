int foreign(int (*f)(int, void *), int n, void *ctx) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 % 1009 + f(i, ctx);
  return s;
}
double foreign_d(double (*f)(double, int), double x) { return f(x, 1) + f(x, 2); }
struct b {
  long v[5];
};
struct b foreign_b(struct b (*f)(struct b, int), struct b x) { return f(f(x, 1), 2); }
int foreign_v(int (*f)(int, ...), int x) { return f(3, x, x + 1, x + 2); }
int (*foreign_keep)(int, void *);
