#include <charcoal.h>
#include <stdio.h>
#include <complex.h>
atomic static int good(int x) { return x; }
static atomic inline long long good2(int (*f)(int), int x) { return f(x); }
int atomic good3(void);
int good3(void) { return 1; }
struct point { int x, y; } ; 
static atomic struct point mk(int x) { return (struct point){x, x}; }
int main(int argc, char **argv) {
  struct point p = mk(3), *pp = &p;
  int vla[argc + 2]; vla[0] = 4; vla[1] = 5;
  struct { unsigned a : 3, b : 5; } bf = {5, 6};
  double complex z = 1 + 2*I;
  long double ld = 3.5L; __int128 big = (__int128)1 << 100;
  int (*fp)(int) = good;
  ch_activity acts[12]; int n = 0;
  activate [&acts[n++]] (p, z, ld, big) { printf("%d %g %Lg %d\n", p.x, creal(z), ld, (int)(big >> 98)); p.x = 99; }
  activate [&acts[n++]] printf("%d %s %u %g\n", bf.a, "str" "ing", bf.b, creal(z));
  activate [&acts[n++]] { vla[1]++; printf("vla %zu %d\n", sizeof vla, vla[1]); pp->y = 8; }
  activate [&acts[n++]] fp(3);
  activate [&acts[n++]] (*fp)(3);
  activate [&acts[n++]] (argc ? fp : good)(atomic(good(4)));
  atomic int q = good(7), r = 8;
  atomic for (int i = 0; i < 2; i++) q++;
  q += atomic (good(2)) + (int)atomic(({ int k = 2; k; }));
  activate [&acts[n++]] (argc) { activate [&acts[11]] (argc) { argc++; printf("inner %d\n", argc); } argc = 50; }
  for (int i = 0; i < n; i++) ch_activity_wait(&acts[i]);
  ch_activity_wait(&acts[11]);
  printf("%d %d %d %d %d\n", p.x, p.y, q, r, argc);
  return 0;
}
