#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* by-value over-aligned, vector, empty struct, flexible, _Atomic, thread local, static; in virtual time */
typedef float v8 __attribute__((vector_size(32)));
struct big { _Alignas(64) char c[64]; };
struct empty {};
static _Thread_local int tl = 5; static int st = 6; static const int cst = 8; extern int ext; int ext = 3;
_Atomic int at = 7;
enum color { RED, GREEN };
typedef int (*fn)(int);
static int inc(int x) { return x + 1; }
static fn table[2] = {inc, inc};
static fn choose(int i) { return table[i]; }
_Bool flag = 1;
int main(void) {
  v8 v = {1, 2, 3, 4, 5, 6, 7, 8}; struct big b; struct empty e; enum color c = GREEN; _Atomic long al = 9; volatile int vo = 4; const int co = 11; unsigned char uc = 200; float fl = 1.5f; _Bool bo = 1; char *s = "str"; int m[2][3] = {{1,2,3},{4,5,6}};
  for (int i = 0; i < 64; i++) b.c[i] = i;
  ch_activity a[9]; int n = 0;
  activate [a + n++] (v, b, e, c, al, vo, co, uc, fl, bo, s, m, tl, st, cst, ext, at) {
    printf("%g %d %d %ld %d %d %d %g %d %s %d %d %d %d %d %d %zu\n", v[7], b.c[63], c, (long)al, vo, co, uc, fl, bo, s, m[1][2], tl, st, cst, ext, (int)at, sizeof b + sizeof m);
    if ((unsigned long)&b % 64) printf("misaligned\n"); if ((unsigned long)&v % 32) printf("misaligned v\n"); (void)e;
    vo++, al++, uc++;
  }
  _Alignas(64) char wide[64] = "wide"; __attribute__((aligned(128))) int wider = 12;
  activate [a + n++] (wide, wider) {
    if ((unsigned long)&wide % 64 || __alignof__(wide) != 64 || (unsigned long)&wider % 128) printf("misaligned variable\n");
    ch_sleep(1);
    wider += wide[0] == 'w' && (unsigned long)&wide % 64 == 0 && (unsigned long)&wider % 128 == 0;
    printf("%s %d\n", wide, wider);
  }
  tl = st = ext = 0; wide[0] = 0; wider = 0; b.c[63] = 0; m[1][2] = 0; v[7] = 0;
  activate [a + n++] choose(1)(3);
  activate [&a[n++]] table[0](4);
  activate [({ &a[n++]; })] (*choose(0))(5);
  activate [&a[n++]] printf("%s %c %f %ld\n", s, 'x', fl, (long)al);
  activate [&a[n++]] printf("no arguments\n");
  activate [&a[n++]] inc(3);
  activate [&a[n++]] qsort(m[0], 3, sizeof(int), (int (*)(const void *, const void *))strcmp);
  for (int i = 0; i < n; i++) ch_activity_wait(&a[i]);
  return 0;
}
