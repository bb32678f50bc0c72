/* Duff's device and other jumps into the middle of loops. */
#include <stdio.h>
static unsigned log_;
__attribute__((noinline)) static int get(const int *p) {
  log_ = log_ * 17 + (unsigned)*p;
  return *p;
}
__attribute__((noinline)) static void duff(int *to, const int *from, int count) {
  if (count <= 0)
    return;
  int n = (count + 7) / 8;
  switch (count % 8) {
  case 0:
    do {
      *to++ = get(from++);
    case 7:
      *to++ = get(from++);
    case 6:
      *to++ = get(from++);
    case 5:
      *to++ = get(from++);
    case 4:
      *to++ = get(from++);
    case 3:
      *to++ = get(from++);
    case 2:
      *to++ = get(from++);
    case 1:
      *to++ = get(from++);
    } while (--n > 0);
  }
}
__attribute__((noinline)) static int protothread(int *line, int *i, int *acc) {
  switch (*line) {
  case 0:
    for (*i = 0; *i < 4; ++*i) {
      *acc += get(i);
      *line = 1;
      return 1;
    case 1:
      *acc *= 1 + get(i) % 3;
      while (*acc % 5) {
        ++*acc;
        *line = 2;
        return 2;
      case 2:;
      }
    }
  }
  *line = 0;
  return 0;
}
int main(void) {
  int from[40], to[40];
  for (int n = 0; n < 40; n++) {
    for (int i = 0; i < 40; i++) {
      from[i] = i * n + 1;
      to[i] = -1;
    }
    duff(to, from, n);
    int sum = 0;
    for (int i = 0; i < 40; i++)
      sum = sum * 3 % 10007 + to[i];
    printf("%d ", sum);
  }
  int line = 0, i = 0, acc = 1, r, rounds = 0;
  while ((r = protothread(&line, &i, &acc)))
    printf("[%d %d %d]", r, i, acc), rounds++;
  printf("\n%d %u\n", rounds, log_);
}
