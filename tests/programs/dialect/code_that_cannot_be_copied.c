/* Addresses of labels, and names that assembly defines, belong to one copy of a function: a function with atomic
 * regions and one of these has no second version without its regions for calls from inside a region. */
// outcome: code_that_cannot_be_copied.expected
#include <charcoal.h>
#include <stdio.h>

static int regions;

__attribute__((noinline)) static int by_static_table(const char *code) {
  static void *const where[] = {&&add, &&twice, &&end};
  int value = 0;
  atomic {
    goto *where[(int)*code];
  add:
    value += 3;
    goto *where[(int)*++code];
  twice:
    value *= 2;
    goto *where[(int)*++code];
  end:
    regions++;
  }
  return value;
}

__attribute__((noinline)) static int by_local_table(const char *code) {
  const void *where[] = {&&add, &&twice, &&end};
  int value = 1;
  atomic regions++;
  goto *where[(int)*code];
add:
  value += 3;
  goto *where[(int)*++code];
twice:
  value *= 2;
  goto *where[(int)*++code];
end:
  return value;
}

__attribute__((noinline)) static int by_assembly(int value) {
  atomic {
    __asm__ volatile("named_by_assembly: nop");
    regions++;
  }
  return value;
}

__attribute__((noinline)) atomic static int whole(int value) {
  __asm__ volatile("named_by_assembly_of_a_whole_function: nop");
  regions++;
  return value;
}

int main(void) {
  static const char code[] = {0, 1, 0, 0, 1, 2};
  int inside[4];
  printf("%d %d %d %d\n", by_static_table(code), by_local_table(code), by_assembly(3), whole(4));
  atomic {
    inside[0] = by_static_table(code);
    inside[1] = by_local_table(code);
    inside[2] = by_assembly(3);
    inside[3] = whole(4);
  }
  printf("%d %d %d %d\n%d\n", inside[0], inside[1], inside[2], inside[3], regions);
}
