/* Spare mappings: memory that a thread which ends leaves for the next one. To map memory, to touch it for the first
 * time and to unmap it takes a short thread half of its time.
 *
 * Invariants: 1. what stands in a slot is nobody's; 2. who takes it out by an exchange has it. So no lock is needed,
 * and a child of fork has its own copies. */
#ifndef CHARCOAL_FRAMES_SPARES_H
#define CHARCOAL_FRAMES_SPARES_H

#include "sched/tsan.h"
#include <stdbool.h>
#include <stddef.h>

/* Mappings of one size. */
struct ch_spares {
  void *slots[4];
};

static inline void *ch_spare_take(struct ch_spares *s) {
  for (size_t i = 0; i < sizeof s->slots / sizeof *s->slots; i++) {
    void *memory = __atomic_load_n(&s->slots[i], __ATOMIC_RELAXED);
    if (memory && (memory = __atomic_exchange_n(&s->slots[i], NULL, __ATOMIC_ACQUIRE))) {
      ch_tsan_acquire(memory);
      return memory;
    }
  }
  return NULL;
}

/* False: there are enough of them, so the caller unmaps it. */
static inline bool ch_spare_keep(struct ch_spares *s, void *memory) {
  ch_tsan_release(memory);
  for (size_t i = 0; i < sizeof s->slots / sizeof *s->slots; i++) {
    void *none = NULL;
    if (__atomic_compare_exchange_n(&s->slots[i], &none, memory, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return true;
  }
  return false;
}

#endif
