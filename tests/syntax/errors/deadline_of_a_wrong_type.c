#include <charcoal.h>
int g(int);
void f(int n) {
  within ("soon") do g(n); finish;
  by (&n) do g(n); finish;
  by (unknown) do g(n); finish;
  within () do g(n); finish;
  within (5);
}
