void h(int i) { switch (i) { case 0: atomic { case 1 ? 2 : 3: f(1); switch (i) { case 4: f(2); } } activate { default: f(3); } } }
