atomic int one(void);
static atomic int two(int x) { return x; }
atomic struct s *three(void), *four(int);
int atomic(int x);
