int from_c(int (*f)(int), int x) { return f(x) + f(x + 1); }
int c(int x) { return x - 1; }
