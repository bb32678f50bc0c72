int h(int n) { int a = atomic (f(n)) + 1; return (int)atomic(f(atomic(n))); }
