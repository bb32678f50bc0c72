void h(int i) { activate (i { atomic { f(i ; }
