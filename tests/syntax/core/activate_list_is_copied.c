void h(int i, int j) { activate (i, j) { f(i + j); } activate [&a[i]] (i) { i++; } activate contained [&a] (i) { } activate () { } }
