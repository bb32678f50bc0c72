void test(int n) {
  (waituntil (f(1)) one(); or waituntil (f(2)) two();) and when (n) waituntil (f(3)) three();
  waituntil (f(1)) one(); and waituntil (f(2)) two(); else none();
}
