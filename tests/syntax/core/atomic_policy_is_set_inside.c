void h(int n) { atomic contained { n++; } atomic error { f(n); } atomic delay { } atomic free { } }
