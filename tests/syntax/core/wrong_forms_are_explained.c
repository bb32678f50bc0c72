void h(int i) { activate (i + 1) { f(i); } activate (i) f(i); activate i++; activate 3; activate if (i) f(i); activate { return i; } }
atomic int counter;
