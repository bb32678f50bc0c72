/* Statement expressions, comma, conditional and logical operators with calls in every operand. */
#include <stdio.h>
static unsigned order;
__attribute__((noinline)) static int f(int x) {
  order = order * 10 + (unsigned)(x % 10);
  return x;
}
#define MAX(a, b)                                                                                                      \
  ({                                                                                                                   \
    __typeof__(a) a_ = (a);                                                                                            \
    __typeof__(b) b_ = (b);                                                                                            \
    a_ > b_ ? a_ : b_;                                                                                                 \
  })
struct pair {
  long a, b;
};
__attribute__((noinline)) static struct pair mk(long a, long b) { return (struct pair){a, b}; }
int main(void) {
  int x = ({
    int t = f(1);
    for (int i = 0; i < 3; i++)
      t += f(2);
    t;
  });
  printf("%d %u\n", x, order);
  order = 0;
  printf("%d ", MAX(f(3), MAX(f(4), f(5)) - 4));
  printf("%u\n", order);
  order = 0;
  int y = (f(1), f(2), f(3));
  printf("%d %u\n", y, order);
  order = 0;
  y = f(0) && f(1);
  y = y * 10 + (f(1) && f(2));
  y = y * 10 + (f(0) || f(3));
  y = y * 10 + (f(4) || f(5));
  printf("%d %u\n", y, order);
  order = 0;
  y = f(1) ? f(2) : f(3);
  y += f(0) ? f(4) : f(5);
  y += f(6) ?: f(7);
  y += f(0) ?: f(8);
  printf("%d %u\n", y, order);
  order = 0;
  struct pair p = ({
    struct pair q = mk(f(7), f(8));
    q.a += f(1);
    q;
  });
  printf("%ld %ld\n", p.a, p.b);
  long z = ({
             struct pair q = mk(2, 3);
             long r = 0;
             while (q.a-- > 0) {
               if (f((int)q.b) == 2)
                 break;
               r += mk(q.b--, 1).a;
             }
             r;
           }) +
           mk(5, 6).b;
  printf("%ld\n", z);
  int a[4] = {f(1), f(2), ({
                f(9);
                3;
              }),
              f(4)};
  printf("%d %u\n", a[0] + a[1] * 10 + a[2] * 100 + a[3] * 1000, order);
  order = 0;
  int i = 0;
  int arr[5] = {0};
  arr[f(i++)] += f(3);
  arr[f(i++)] |= f(5) << 1;
  arr[f(i)] = arr[f(0)] ? f(6) : f(7);
  for (i = 0; i < 5; i++)
    printf("%d ", arr[i]);
  printf("%u\n", order);
}
