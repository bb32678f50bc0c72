#include <charcoal.h>
int g(int);
int f(int n) {
  for (int i = 0; i < n; i++)
    do {
      async {
        if (g(1))
          return 3;
        if (g(2))
          break;
        if (g(3))
          continue;
        goto end;
      }
    } finish;
end:
  return 2;
}
