void a(int n) { within (n * 10) do { f(1); } finish; }
void b(int n) { q: by (g(n)) do f(n); finish; q2: within (n, 2) do { cancel q2; } finish; }
void c(int n) { within = by; within(1) + 2; }
