void h(int i) { atomic { goto out; here: goto here; } out: goto here; }
