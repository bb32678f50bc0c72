int g(int);
void f(int n) {
  do {
    async g(n);
  } finish;
  waituntil(g(n));
  other;
}
