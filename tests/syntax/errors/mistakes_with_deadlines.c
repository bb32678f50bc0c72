#include <charcoal.h>
int g(int);
void f(int n) {
  within 3 do { async g(1); } finish;
  within (3) { async g(1); } finish;
  within (3) async g(1);
  within (3) do { g(1); } while (n);
  within (3) do { async g(1); }
  within (3);
  within;
  within do { async g(1); } finish;
  within (3) q: do { cancel q; } finish;
  within (g) do { g(1); } finish;
  within () do { g(1); } finish;
  by n + 3 do { g(1); } finish;
  by (n) { g(1); } finish;
  do { g(1); } finish within (3);
}
