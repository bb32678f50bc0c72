/* Swift's calling convention: the place of an error is a register, and may not be in a frame. */
#include <stdio.h>
#if __has_attribute(swiftcall) && defined __x86_64__
#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define ERROR __attribute__((swift_error_result))
#else
#define SWIFT
#define CONTEXT
#define ERROR
#endif

static unsigned trace;
__attribute__((noinline)) static int note(int x) {
  trace = trace * 31 + (unsigned)x;
  return x;
}

SWIFT __attribute__((noinline)) static int half(int x, CONTEXT int *calls, ERROR const char **error) {
  ++*calls;
  if (note(x) % 2)
    *error = "odd";
  return x / 2;
}

static int twice(int x) {
  int calls = 0;
  const char *error = NULL;
  int y = half(x, &calls, &error) + note(1);
  if (!error)
    y += half(y, &calls, &error);
  printf("%d: %d after %d calls, %s\n", x, y, calls, error ? error : "no error");
  return y;
}

/* Becomes a part of its caller, which goes on after other calls. */
static inline __attribute__((always_inline)) int inlined(int x) {
  int calls = 0;
  const char *error = NULL;
  int y = half(x, &calls, &error);
  return error ? -calls : y;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += twice(i) + inlined(note(i)) + note(sum);
  printf("%d %u\n", sum, trace);
}
