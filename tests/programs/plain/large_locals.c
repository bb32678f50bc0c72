// Locals of more than a kilobyte whose addresses nobody keeps, alive across calls that wait: in a recursion, in a loop
// that makes a new one in each turn, on one way of two, and beside small ones.
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define NI __attribute__((noinline))

NI static unsigned wait_for(unsigned x) {
  sched_yield();
  return x;
}

NI static unsigned recursive(unsigned depth) {
  unsigned words[700];
  for (unsigned i = 0; i < 700; i++)
    words[i] = i * depth;
  unsigned below = depth ? recursive(depth - 1) : wait_for(1);
  return below * 31 + words[wait_for(depth * 37) % 700] + words[699];
}

NI static unsigned in_a_loop(unsigned turns) {
  unsigned sum = 0;
  for (unsigned t = 0; t < turns; t++) {
    unsigned char first[1025], second[9000];
    memset(first, (int)t, sizeof first);
    sum += wait_for(first[t]);
    memset(second, (int)sum, sizeof second);
    second[wait_for(t * 1000) % 9000] ^= first[1024];
    sum = sum * 7 + second[wait_for(t * 1000) % 9000] + second[8999];
  }
  return sum;
}

NI static unsigned on_one_way(unsigned x) {
  unsigned small[3] = {x, x + 1, x + 2};
  if (x % 2) {
    double large[400];
    for (int i = 0; i < 400; i++)
      large[i] = x + i;
    small[wait_for(x) % 3] += (unsigned)large[wait_for(x * 50) % 400];
  }
  return small[wait_for(x) % 3];
}

int main(void) {
  unsigned sum = recursive(20);
  printf("%u\n", sum);
  printf("%u\n", in_a_loop(9));
  for (unsigned x = 0; x < 8; x++)
    printf("%u\n", on_one_way(x));
  return 0;
}
