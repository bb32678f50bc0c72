void h(int n) { atomic { n++; } atomic n++; atomic f(n); atomic if (n) f(1); else f(2); if (n) atomic f(3); else f(4); atomic return; }
