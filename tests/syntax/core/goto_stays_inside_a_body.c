void h(int i) { activate { goto in; in: goto in; goto out; } goto in; out: f(1); }
