atomic int one(void);
static atomic int two(int x) { return x; }
atomic struct s *three(void), *four(int);
int atomic(int x);
atomic static int (*handler(int n))(int) { return 0; }
atomic int (*rows(void))[3];
atomic int *(name)(int);
int locals(void) { atomic int (*p)(int) = f(); atomic int (*a[2])(int) = {f()}; atomic int (*g(void))(int); }
atomic struct pair { int a, b; } both(void) { return (struct pair){1, 2}; }
atomic [[nodiscard]] [[gnu::noinline]] int first(void);
[[nodiscard]] atomic __attribute__((noinline)) int between(void);
noncancellable [[nodiscard]] int whole(void) { return 1; }
atomic listener on_read;
atomic extern listener on_write;
int names(void) { atomic listener inside; return inside(1); }
atomic listener *pointer;
