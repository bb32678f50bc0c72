void a(int n) { for (;;) { do { if (n) break; continue; } finish; do { for (;;) { break; continue; } } finish; } }
void b(int n) { do { async { if (n) return; if (n) return f(n); break; for (;;) { if (n) break; else continue; } continue; } } finish; }
void c(int n) { goto in; do { in: f(n); } finish; noncancellable { nc: f(n); } do { async { as: f(n); goto as; goto out; } out: f(n); goto out; } finish; goto nc; goto as; }
void d(int n) { switch (n) { case 1: do { case 2: f(n); async { default: f(n); } } finish; noncancellable case 3: f(n); } }
void e(int n) { activate { do { if (n) return; async { return; } activate { return; } } finish; } }
void h(int n) { for (;;) { atomic { break; } noncancellable { continue; } do { break; } finish; } do break; finish; }
