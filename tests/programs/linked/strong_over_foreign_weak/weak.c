__attribute__((weak)) int hook(int x) { return x + 1000; }
__attribute__((weak)) int only_weak(int x) { return x + 500; }
int through(int x) { return hook(x) * 2; }
int (*get(void))(int) { return hook; }
