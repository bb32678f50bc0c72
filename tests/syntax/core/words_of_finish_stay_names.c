int a(int async, int finish) { async = finish; finish: async(finish); return by + noncancellable; }
int b(void) { int cancel = 1, by[2]; by[0] = cancel; cancel = 2; do { cancel++; } while (cancel < 9); return cancel; }
int c(void) { struct { int async; } s; s.async = 1; async.x = 3; async->y; async; finish = 2; cancel + 1; noncancellable = 1; return s.async; }
struct async { int finish; } async(struct async async);
int finish(int n) { do { n = finish(n - 1); } finish; return n; }
