static int n;
__attribute__((noinline)) int counted(int x) {
  n += x;
  return n;
}
int shared_(int x);
int a(int x) { return counted(x) + shared_(x); }
