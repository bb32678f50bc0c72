/* switch: fallthrough, ranges, default in the middle, nested, inside loops, wide types. */
#include <stdio.h>
__attribute__((noinline)) static int id(int x) { return x; }
__attribute__((noinline)) static int fall(int n) {
  int r = 1;
  switch (id(n)) {
  case 0:
    r += id(1); /* fallthrough */
  case 1:
    r *= id(3);
    break;
  default:
    r += id(100); /* fallthrough */
  case 5 ... 9:
    r -= id(7); /* fallthrough */
  case 2:
    r = r * 2 + id(n);
    break;
  case 3:
    return id(-3);
  case 4: {
    int z = id(n);
    switch (id(z + r)) {
    case 5:
      r = id(55);
      break;
    case 6:
      r = id(66); /* fallthrough */
    default:
      r += z;
    }
    r++;
  }
  }
  return r;
}
__attribute__((noinline)) static unsigned wide(unsigned long long v) {
  switch (v) {
  case 0x100000000ull:
    return (unsigned)id(1);
  case 0xffffffffffffffffull:
    return (unsigned)id(2);
  case 7 ... 0x20000:
    return (unsigned)id(3);
  default:
    return (unsigned)id(4);
  }
}
__attribute__((noinline)) static int in_loop(const char *s) {
  int words = 0, digits = 0, state = 0;
  for (; *s; s++) {
    switch (state) {
    case 0:
      if (id(*s) == ' ')
        continue;
      state = 1;
      words += id(1); /* fallthrough */
    case 1:
      if (*s >= '0' && id(*s) <= '9') {
        digits += id(1);
        break;
      }
      if (id(*s) == ' ') {
        state = 0;
        continue;
      }
      break;
    }
  }
  return words * 100 + digits;
}
enum colour { RED, GREEN, BLUE };
__attribute__((noinline)) static const char *name(enum colour c) {
  switch (c) {
  case RED:
    return "red";
  case GREEN:
    return "green";
  case BLUE:
    return "blue";
  }
  return "none";
}
int main(void) {
  for (int i = -1; i < 12; i++)
    printf("%d ", fall(i));
  printf("\n%u %u %u %u\n", wide(0x100000000ull), wide(~0ull), wide(9), wide(3));
  printf("%d\n", in_loop("  ab1 22 c3d4  e "));
  printf("%s %s %s\n", name(RED), name(GREEN), name(BLUE));
}
