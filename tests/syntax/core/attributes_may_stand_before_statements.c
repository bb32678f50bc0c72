int f(int k) { __attribute__((nomerge)) { atomic { k++; } } __attribute__((opencl_unroll_hint(2))) for (;;) { yield; } }
int g(int k) { if (k) __attribute__((nomerge)) atomic k++; else [[clang::nomerge]] __attribute__((nomerge)) yield; }
int h(int k) {
  activate { if (k) __attribute__((nomerge)) return; k++; }
  switch (k) { case 1: k++; __attribute__((fallthrough)); case 2: yield; }
}
int s(int k) {
  name: __attribute__((unused)) do { async __attribute__((nomerge)) f(k); cancel name; } finish;
  do __attribute__((nomerge)) { async f(k); } finish;
}
int d(int k) { atomic __attribute__((unused)) int x = f(k); atomic [[maybe_unused]] int y = f(x); return y; }
