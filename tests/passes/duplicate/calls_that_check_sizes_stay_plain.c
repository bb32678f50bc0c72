// _FORTIFY_SOURCE makes such calls, which always return soon. A program's own definition has no interruptible version
// either, because the optimiser replaces calls of it by its name.
typedef __SIZE_TYPE__ size_t;
void elsewhere(void);
void f(char *to, const char *from, size_t n) {
  __builtin___memcpy_chk(to, from, n, 10);
  __builtin___strcpy_chk(to, from, 20);
  __builtin___memset_chk(to, 1, n, 30);
}
void *__memset_chk(void *to, int c, size_t n, size_t most) {
  if (n > most) elsewhere();
  for (size_t i = 0; i < n; i++) ((char *)to)[i] = c;
  return to;
}
// CHECK: remark: '__memset_chk' has only a plain version: the optimiser replaces calls of it
// CHECK-NOT: _chk.int
// CHECK: call ptr @__memcpy_chk(
// CHECK-NOT: _chk.int
// OPTIONS: -O1 -Rcharcoal
