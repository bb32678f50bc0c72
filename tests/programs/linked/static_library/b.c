int counted(int);
int shared_(int x) { return counted(x) * 2; }
int from_c(int (*)(int), int);
int b(int x) { return from_c(shared_, x); }
