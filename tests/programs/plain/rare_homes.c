/* Locals whose addresses get out on some ways through a function only, which is suspended before, there and behind. */
#include <stdarg.h>
#include <stdio.h>
#define NI __attribute__((noinline))
#define RARE(x) __builtin_expect(!!(x), 0)

static unsigned trace;
static int *kept;

NI static int step(int x) {
  trace = trace * 31 + (unsigned)x;
  return x;
}
NI static int keep(int *p) {
  kept = p;
  return step(*p);
}
NI static int change(int *p, int by) {
  step(by);
  *p += by;
  step(*kept);
  return *p;
}

/* Taken or not, by one way of many. */
NI static int once(int x) {
  int sum = step(x);
  if (RARE(x % 3 == 0)) {
    int local = sum;
    sum += keep(&local);
    sum += change(&local, 5);
  }
  return step(sum) + sum;
}

/* By two ways, of which each may come before the other or alone; the second leads through a loop. */
NI static int twice(int x) {
  int result = step(x);
  if (RARE(x & 1)) {
    int first = x;
    result += keep(&first);
  }
  step(result);
  if (RARE(x & 2))
    for (int i = 0; i < 3; i++) {
      int second = x + i;
      result += keep(&second) + change(&second, i);
    }
  if (RARE(x & 4)) {
    int third = result;
    return change(kept = &third, x);
  }
  return result + step(x);
}

/* By two ways, and what the first leaves in the local the second reads. */
NI static int carried(int x) {
  int local, is_set = 0, result = step(x);
  if (RARE(x & 1)) {
    local = result + 7;
    keep(&local);
    is_set = 1;
  }
  step(result + 1);
  if (RARE(x & 2)) {
    result += is_set ? change(&local, 3) : 1;
    step(result);
  }
  return result;
}

/* A home behind a loop that ends early, an address that two ways join, and a call in tail position. */
NI static int joined(int x) {
  int a = x, b = 2 * x, *p;
  for (int i = 0; i < x; i++)
    if (step(i) == 3 * x)
      return -1;
  if (RARE(x > 4)) {
    p = x > 6 ? &a : &b;
    keep(p);
    int sum = change(p, 1) + a - b;
    step(sum);
    return sum + *p;
  }
  return step(x + 1);
}

/* Variable arguments lie in a home as well. */
NI static int say(int x) {
  if (RARE(step(x) == 5)) {
    printf("five comes: %d %g %s\n", x, x / 2.0, "once");
    return step(2 * x);
  }
  return x;
}

/* A variadic function that is suspended itself, between other calls: the frame is there for the one call alone. */
NI static int sum(int count, ...) {
  va_list list;
  int result = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++)
    result += step(va_arg(list, int));
  va_end(list);
  return result;
}
NI static int sums(int x) {
  int result = step(x);
  if (x % 3 == 0)
    result += sum(3, x, 1, 2) + step(x);
  step(result);
  if (x % 2 == 0) {
    int array[4] = {x, 1, 2, result};
    keep(array);
    result += change(array + 3, x);
    if (x == 4)
      return result;
  } else if (x == 5) {
    return sum(2, result, x);
  }
  result += step(x);
  return sum(1, result) + step(x);
}

NI static int recursive(int depth) {
  int below = depth > 0 ? recursive(depth - 1) : 0;
  if (RARE(depth % 4 == 2)) {
    int local = below + depth, again = recursive(depth / 2 - 1 > 0 ? depth / 2 - 1 : 0);
    keep(&local);
    return change(&local, again);
  }
  return below + step(depth);
}

int main(void) {
  for (int x = 0; x < 9; x++)
    printf("%d %d %d %d %d %d %d %d\n", x, once(x), twice(x), carried(x), joined(x), say(x), sums(x), recursive(x));
  printf("%u\n", trace);
}
