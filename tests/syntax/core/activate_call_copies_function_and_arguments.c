void h(struct s *p, int i) { activate f(i, 1, "a" "b"); activate p->fn(i); activate [&a] (*fp)(); activate contained g(i + 1); }
