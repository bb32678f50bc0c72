/* skip nothing */
int host(int);
typedef int (*fn)(int);
static int state = N * 100;
__attribute__((noinline)) static int t(int x) {
  state += x;
  return x;
}
__attribute__((constructor)) static void loaded(void) { t(1); }
static int first(int x) { return t(x) + N; }
static int second(int x) { return host(t(x)) * N + state; }
fn plugin(int k) { return t(k) ? second : first; }
int run(fn f, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 % 1009 + f(i);
  return s;
}
