int count(int);
static inline int twice(int x) { return count(x) * 2; }
inline int thrice(int x) { return count(x) * 3; }
static inline int calls_back(int (*f)(int), int n) {
  static int kept;
  int s = kept++;
  for (int i = 0; i < n; i++)
    s = s * 3 + f(i);
  return s;
}
static inline int fact(int n) { return n < 2 ? count(1) : n * fact(n - 1); }
extern __thread int per_thread;
extern int table[];
struct item {
  int (*f)(int);
  const char *name;
};
extern const struct item items[];
int one(int), two(int);
int (*address_of_twice_one(void))(int);
int (*address_of_thrice(void))(int);
