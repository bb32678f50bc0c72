#include <charcoal.h>
#include <stddef.h>

int first(void), last(int);
size_t count(void);

void f(void) {
  for (atomic int i = first(); i < 3; i++)
    last(i);
  for (atomic size_t i = count(); i > 0; i--)
    last(1);
  for (int i = atomic (first()); i < 3; i++)
    last(i);
}
