void h(int i) { activate (i) { atomic { activate { yield; } } } }
