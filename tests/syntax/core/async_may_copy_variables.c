void a(int n, int i) { do { async (i) { f(i); } async (n, i) { } async () { g(1); } async (n); async (n) + 1; } finish; do async (i) { f(i); } finish; f(1); }
void b(int n) { async (n) { f(n); } do { async (n + 1) { f(n); } async (n) f(n); } finish; }
