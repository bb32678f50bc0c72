void a(int n) { async f(n); cancel; do { cancel nowhere; } finish; async { f(n); } cancel q; }
void b(int n) { do { activate { async f(n); cancel; } q: do { activate { cancel q; } } finish; } finish; }
void c(int n) { q: do { q: do { cancel q; } finish; } finish; }
void d(int n) { do { noncancellable { async f(n); } async int x = f(n); async size_t y = 1; } finish; }
void e(int n) { q: for (;;) { do { cancel q; f(n); } finish; } }
void h(int n) { do { noncancellable int x = 1; } finish x; }
noncancellable int x;
