void h(int i) { activate { i++; } activate [&a] { f(i); } activate contained { f(1); } }
