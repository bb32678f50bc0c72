int h(int i) { int a = ({ atomic { i++; } i; }); call(^{ yield; return 3; }, ^(int x) { return x; }); return a; }
int with_result(void) {
  call(^int(int x) { atomic { x++; } return x; },
       ^struct s *(void) { yield; return 0; },
       ^int *{ yield; return 0; });
  return a ^ b ^ f((struct s){c ^ d});
}
