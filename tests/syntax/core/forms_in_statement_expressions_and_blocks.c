int h(int i) { int a = ({ atomic { i++; } i; }); call(^{ yield; return 3; }, ^(int x) { return x; }); return a; }
