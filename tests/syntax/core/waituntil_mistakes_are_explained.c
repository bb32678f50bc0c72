void test(int n) {
  int r;
  waituntil (h(1)) {}
  waituntil (f(1) || f(2)) {}
  waituntil (f(1)) {} or { n++; }
  waituntil (f(1)) {} and (f(2)) { n++; }
  waituntil (f(1)) {} else {} or waituntil (f(2)) { n++; }
  waituntil () {}
  waituntil (n) {}
  waituntil (= f(1)) {}
  waituntil (int q = f(1)) {}
  when (n) {}
  or waituntil (f(1)) {}
  waituntil f(1) {}
  when n waituntil (f(1)) {}
  waituntil (f(1)) when (n) {}
  waituntil (f(1)) {} or else {}
  waituntil (f(1)) {} and when (n) (waituntil (f(2)) {})
  waituntil (f(1)) {} or waituntil fair (f(2)) {}
  (waituntil (f(1)) {} else {})
  waituntil (f(1)) {} and waituntil (g(2)) {}
  goto in;
  waituntil (f(1)) { in: n++; }
  switch (n) { case 0: waituntil (f(1)) { case 1: n++; } }
  (waituntil (f(1)) {} or waituntil (f(2)) {};
  waituntil (f(1))
}
