// The bodies of block literals are changed as those of functions are: the library's objects begin empty, and a result
// is copied before the branches of its scope go on.
#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/locks.h>
#include <stdio.h>
#include <string.h>

// The run-time library of block literals defines these. No literal here is copied, so nothing else of it is needed. In
// C clang forgets the place of its own declaration.
__asm__(".pushsection .bss\n"
        ".globl _NSConcreteStackBlock, _NSConcreteGlobalBlock\n"
        "_NSConcreteStackBlock: _NSConcreteGlobalBlock: .zero 256\n"
        ".popsection");

__attribute__((noinline)) static int is_empty(const void *object, size_t size) {
  const unsigned char *bytes = object;
  for (size_t i = 0; i < size; i++)
    if (bytes[i])
      return 0;
  return 1;
}

__attribute__((noinline)) static void fill_the_stack(void) {
  volatile char waste[8192];
  memset((char *)waste, 0x5a, sizeof waste);
}

struct counts {
  int n, others[20];
};

static int (^at_file_scope)(void) = ^{
  channel(int) c;
  ch_mutex m;
  return is_empty(&c, sizeof c) && is_empty(&m, sizeof m);
};

int main(void) {
  int (^in_a_function)(void) = ^{
    ch_sem units[3];
    return is_empty(units, sizeof units);
  };
  int (^in_another)(void) = ^{
    return ^{
      ch_rwlock lock;
      return is_empty(&lock, sizeof lock);
    }();
  };
  struct counts (^result)(void) = ^{
    struct counts all = {1};
    do {
      async {
        ch_sleep(1);
        all.n++;
      }
      return all;
    } finish;
  };
  fill_the_stack();
  const int first = at_file_scope();
  fill_the_stack();
  const int second = in_a_function();
  fill_the_stack();
  const int third = in_another();
  printf("%d %d %d, %d\n", first, second, third, result().n);
}
