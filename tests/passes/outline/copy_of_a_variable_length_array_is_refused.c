// OPTIONS: -O1 -g
// STATUS: 1
#include <charcoal.h>
void g(int *);
void f(int n) {
  int a[n];
  a[0] = 1;
  activate (a) { g(a); }
}
// CHECK: copy_of_a_variable_length_array_is_refused.c:{{[0-9]+}}:{{.*}}error: {{.*}}'a' is a variable-length array, which cannot be copied
