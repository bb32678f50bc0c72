// OPTIONS: -O0 -fcharcoal-stress -Rcharcoal --target=aarch64-linux-gnu -ffreestanding -march=armv8.7-a+ls64
// The code generator cannot save what AArch64 loads into eight registers at once, and without optimization it has to
// wherever a jump follows: clang itself ends in an internal error there.
#include <arm_acle.h>

struct line {
  unsigned long long words[8];
};
void elsewhere(void);

// CHECK-DAG: 'loads' has only a plain version: it has values that cannot be saved [-Rcharcoal]
// CHECK-DAG: 'loads_by_hand' has only a plain version: it has values that cannot be saved [-Rcharcoal]
// CHECK-NOT: 'stores' has only a plain version
data512_t loads(void *from) {
  elsewhere();
  return __arm_ld64b(from);
}

void loads_by_hand(struct line *to, void *from) {
  elsewhere();
  __asm__ volatile("ld64b %0,[%1]" : "=r"(*to) : "r"(from) : "memory");
}

// CHECK: @stores.int(
void stores(data512_t *value, void *to) {
  elsewhere();
  __arm_st64b(to, *value);
}
