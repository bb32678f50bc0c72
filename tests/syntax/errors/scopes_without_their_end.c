#include <charcoal.h>
int f(void);
void scopes(int n) {
  within (1) do { f(); }
  if (n) within (2) do { within (2) do f(); } else n = 3;
  q: by (4) do { cancel q; }
  do within (5) { async f(); } finish;
  do { async f(); } within (6) finish;
  do { async f(); } while (n) finish;
  do { async f(); } finish();
  do { f(); } finish (7);
  finish do { async f(); }
  f();
  finish do { f(); } finish;
  if (n) do { async f(); } else n = 8;
}
