int h(int n) { int a = atomic (f(n)) + 1; return (int)atomic(f(atomic(n))); }
int values(int n) {
  int x = ({ n++; atomic (n + 1); }), y = ({ atomic f(n); });
  ({ atomic { f(n); } });
  ({ atomic f(n); n; });
  return x + y;
}
