#include <stdio.h>
int api_p(int), api_d(int), (*api_get(int))(int), api_uses(int);
int hid(int x) { return x - 1; }
int def(int x) { return x - 2; }
int not_exported(int x) { return x - 3; }
int main(void) {
  printf("%d %d %d %d %d\n", api_p(1), api_d(2), api_get(0)(3), api_get(1)(4), api_uses(5));
  printf("%d %d %d %d\n", hid(1), def(2), not_exported(3), api_get(0) == api_d);
}
