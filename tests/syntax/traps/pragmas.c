// Everything that acts when it is read: the watcher must not read past it too early.
#pragma pack(push, 1)
struct packed { char a; int b; };
#pragma pack(pop)
struct loose { char a; int b; };
_Static_assert(sizeof(struct packed) == 5 && sizeof(struct loose) == 8, "pack");
#pragma GCC visibility push(hidden)
int hidden(int x) { return x + 1; }
#pragma GCC visibility pop
int visible(int x) { return hidden(x); }
#pragma weak weakling
int weakling(void) { return 2; }
#pragma clang attribute push(__attribute__((annotate("pushed"))), apply_to = function)
int annotated(void) { return 3; }
#pragma clang attribute pop
int not_annotated(void) { return 3; }
#pragma clang section bss = "mybss" data = "mydata" rodata = "myrodata" text = "mytext"
int in_data = 4;
int in_bss;
int in_text(void) { return in_data + in_bss; }
#pragma clang section bss = "" data = "" rodata = "" text = ""
int elsewhere = 5;
#pragma clang optimize off
int unoptimized(int x) { return x * 2; }
#pragma clang optimize on
int optimized(int x) { return x * 2; }
#pragma clang assume_nonnull begin
int nonnull(int *p);
#pragma clang assume_nonnull end
#pragma STDC FP_CONTRACT ON
double contract(double a, double b, double c) { return a * b + c; }
#pragma STDC FP_CONTRACT OFF
double no_contract(double a, double b, double c) { return a * b + c; }
double contract_inside(double a, double b, double c) {
#pragma STDC FP_CONTRACT ON
  return a * b + c;
}
#define LIMIT 3
#pragma push_macro("LIMIT")
#undef LIMIT
#define LIMIT 4
int four[LIMIT];
#pragma pop_macro("LIMIT")
int three[LIMIT];
int loops(int *a, int n) {
  int sum = 0;
#pragma clang loop vectorize(enable) unroll_count(4)
  for (int i = 0; i < n; i++)
    sum += a[i];
  _Pragma("unroll(2)") for (int i = 0; i < n; i++) sum ^= a[i];
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum += i;
  return sum;
}
#ifdef PARALLEL
int parallel(int *a, int n) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += a[i];
#pragma omp critical
  { sum++; }
  return sum;
}
#pragma omp declare simd
int simd(int x) { return x + 1; }
#endif
int old_style(a, b) int a; char *b; { return a + b[0]; }
__attribute__((target("avx2"))) int targeted(int x) { return x + 1; }
_Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunused-variable\"")
int quiet(void) { int unused; return 0; }
_Pragma("clang diagnostic pop")
int loud(void) { int unused; return 0; }
#pragma redefine_extname outside inside
int outside(void);
int call_outside(void) { return outside() + nonnull(four) + three[0]; }
__asm__(".globl from_assembly\nfrom_assembly: .long 1");
;
struct tag { int x; } first, second = { 2 }, *third = &(struct tag){ 3 };
enum { A, B = sizeof(struct { int y; }) } e;
_Static_assert(B == 4, "members");
int implicit_end(void) { return A + first.x + second.x + third->x + (int)e; }
