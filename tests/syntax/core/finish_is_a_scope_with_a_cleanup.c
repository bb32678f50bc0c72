void a(void) { do { f(1); } finish; g(2); }
void b(void) { if (g(1)) do f(1); finish; else do if (g(2)) f(3); else f(4); finish; }
void c(void) { do { do { f(1); } while (g(2)); } finish; }
void d(void) { q: r: do { cancel q; { do { cancel r; cancel; } finish; } cancel; } finish; goto q; }
int e(int n) { do { if (n) return g(n); if (f(n)) goto out; } finish; out: return 0; }
