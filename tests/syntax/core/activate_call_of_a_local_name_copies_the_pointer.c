void h(int (*f)(int)) { int (*fp)(int) = f; activate f(1); activate fp(2); }
