void test(int n) {
  int r;
  waituntil (r = f(n, 1)) { use(r); } or when (n > 1) waituntil (f(2)) break; else idle();
  label: waituntil fair (f(n)) ;
}
