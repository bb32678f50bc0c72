int h(int n) { assert_no_yield { if (n) return f(n); } while (n) assert_no_yield { break; } return 0; }
int g(int assert_no_yield) { return assert_no_yield + 1; }
