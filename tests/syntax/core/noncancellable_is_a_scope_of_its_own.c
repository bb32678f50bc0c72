void a(int n) { noncancellable { f(n); } if (n) noncancellable f(1); else noncancellable do { async f(2); } finish; }
noncancellable int b(int n) { return f(n); }
static noncancellable atomic int *c(int n) { return 0; }
noncancellable int d(int n);
void e(int n) { noncancellable int d(int n); do { async noncancellable f(n); noncancellable { cancel; } } finish; }
