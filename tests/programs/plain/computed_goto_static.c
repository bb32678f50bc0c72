/* Interpreters: a static table of label addresses, dispatch in one place and in every handler. */
#include <stdio.h>
enum { PUSH, ADD, MUL, DUP, JNZ, DEC, CALL, HALT };
static unsigned effects;
__attribute__((noinline)) static long helper(long v) {
  effects = effects * 31 + (unsigned)v;
  return v + 1;
}
__attribute__((noinline)) static long run_shared(const int *code) {
  static const void *const labels[] = {&&push, &&add, &&mul, &&dup, &&jnz, &&dec, &&call, &&halt};
  long stack[16], *sp = stack;
  const int *ip = code;
next:
  goto *labels[*ip++];
push:
  *sp++ = *ip++;
  goto next;
add:
  sp--;
  sp[-1] += sp[0];
  goto next;
mul:
  sp--;
  sp[-1] = sp[-1] * sp[0] % 1000003;
  goto next;
dup:
  sp[0] = sp[-1];
  sp++;
  goto next;
jnz:
  if (sp[-1])
    ip += *ip;
  else
    ip++;
  goto next;
dec:
  sp[-1]--;
  goto next;
call:
  sp[-1] = helper(sp[-1]);
  goto next;
halt:
  return sp[-1] + 1000 * (sp - stack);
}
__attribute__((noinline)) static long run_threaded(const int *code) {
  static void *labels[] = {&&push, &&add, &&mul, &&dup, &&jnz, &&dec, &&call, &&halt};
  long stack[16], *sp = stack, r = 0;
  const int *ip = code;
#define NEXT                                                                                                           \
  do {                                                                                                                 \
    r += helper(*ip);                                                                                                  \
    goto *labels[*ip++];                                                                                               \
  } while (0)
  NEXT;
push:
  *sp++ = *ip++;
  NEXT;
add:
  sp--;
  sp[-1] += sp[0];
  NEXT;
mul:
  sp--;
  sp[-1] = sp[-1] * sp[0] % 1000003;
  NEXT;
dup:
  sp[0] = sp[-1];
  sp++;
  NEXT;
jnz:
  if (sp[-1])
    ip += *ip;
  else
    ip++;
  NEXT;
dec:
  sp[-1]--;
  NEXT;
call:
  sp[-1] = helper(sp[-1]);
  NEXT;
halt:
  return sp[-1] + r;
}
/* threaded code: label addresses written into the program itself */
__attribute__((noinline)) static long run_direct(const int *code, int n) {
  static void *const labels[] = {&&push, &&add, &&mul, &&dup, &&jnz, &&dec, &&call, &&halt};
  void *prog[64];
  long arg[64];
  int k = 0;
  int where[64];
  for (int i = 0; i < n; k++) {
    where[i] = k;
    int op = code[i++];
    prog[k] = labels[op];
    arg[k] = op == PUSH || op == JNZ ? code[i++] : 0;
  }
  long stack[16], *sp = stack;
  int pc = 0;
  (void)where;
  goto *prog[pc];
push:
  *sp++ = arg[pc];
  goto *prog[++pc];
add:
  sp--;
  sp[-1] += sp[0];
  helper(pc);
  goto *prog[++pc];
mul:
  sp--;
  sp[-1] = sp[-1] * sp[0] % 1000003;
  goto *prog[++pc];
dup:
  sp[0] = sp[-1];
  sp++;
  helper(*sp = 3);
  goto *prog[++pc];
jnz:
  helper(sp[-1]);
  if (sp[-1] > 0) {
    sp[-1] -= 3;
    goto *prog[pc];
  }
  goto *prog[++pc];
dec:
  sp[-1]--;
  goto *prog[++pc];
call:
  sp[-1] = helper(sp[-1]);
  goto *prog[++pc];
halt:
  return sp[-1];
}
int main(void) {
  const int a[] = {PUSH, 5, PUSH, 7, ADD, DUP, MUL, CALL, HALT};
  const int b[] = {PUSH, 1, PUSH, 6, DUP, CALL, JNZ, 2, HALT, ADD, MUL, HALT};
  const int loop[] = {PUSH, 9, CALL, DEC, DEC, JNZ, -4, HALT};
  printf("%ld %ld %ld\n", run_shared(a), run_shared(b), run_shared(loop));
  printf("%ld %ld %ld\n", run_threaded(a), run_threaded(b), run_threaded(loop));
  printf("%ld %ld\n", run_direct(a, 9), run_direct(loop, 8));
  printf("%u\n", effects);
}
