void h(int n) { atomic int a = f(n), b; atomic size_t c = f(a); atomic point *p = g(c); }
