void a(int n) { do { async f(n); async { g(n); } n = 1; async n = f(n); async if (n) f(1); else f(2); } finish; }
void b(int n) { do { async { do { async f(n); } finish; async f(2); } } finish; }
void c(int n) { do for (;;) { if (n) async atomic { f(n); } else async async f(n); async do f(n); finish; } finish; }
void d(int n) { do { activate (n) { do { async f(n); } finish; return; } async activate f(n); } finish; }
void e(int n) { do { ({ async f(n); 1; }); switch (n) { case 1: async f(n); break; default: async { for (;;) break; } } } finish; }
