/* `program CASE COUNT` compares two equal strings of 1 MB COUNT times, and prints the us of the fastest comparison. */
#include "../common/measure.h"
#include "functions.h"

enum { LENGTH = 1 << 20 };

static int compare(const char *name, const char *s1, const char *s2) {
  if (!strcmp(name, "2^4"))
    return compare_4(s1, s2);
  if (!strcmp(name, "2^8"))
    return compare_8(s1, s2);
  if (!strcmp(name, "2^12"))
    return compare_12(s1, s2);
  unknown_case(name);
  return 0;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  int count = atoi(argv[2]);
  char *s1 = malloc(LENGTH + 1), *s2 = malloc(LENGTH + 1);
  if (!s1 || !s2)
    return 1;
  for (int i = 0; i < LENGTH; i++)
    s1[i] = s2[i] = (char)('a' + i % 26);
  s1[LENGTH] = s2[LENGTH] = 0;
  unsigned long long equal = 0;
  double best = 0;
  for (int i = 0; i < count; i++) {
    double start = now_ns();
    equal += compare(name, s1, s2) == 0;
    double elapsed = now_ns() - start;
    if (i == 0 || elapsed < best)
      best = elapsed;
  }
  expect(equal, (unsigned long long)count);
  s2[LENGTH - 1]++; /* the whole string must have been looked at */
  expect((unsigned long long)(compare(name, s1, s2) < 0), 1);
  report("time", best / 1000.0, "us/strcmp", equal);
  free(s1);
  free(s2);
}
