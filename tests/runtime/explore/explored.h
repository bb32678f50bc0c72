/* Atomic operations of the explored world (explore.c): each is a point at which another party may go on. Stands in the
 * place of what runtime/wait/atomics.h defines. */
#ifndef EXPLORED_H
#define EXPLORED_H

#include <stdbool.h>

void explored_point(const volatile void *at, bool writes);
void explored_spin(void);
/* What was there is different now: those who wait for that go on. */
void explored_changed(const volatile void *at);

#define ch_atomic_fetch(at) ((void)(at)) /* it changes nothing that a program could see */
#define ch_atomic_load(at) (explored_point((at), false), *(at))
#define ch_atomic_load_in_order(at) ch_atomic_load(at)
#define ch_atomic_store(at, value) (explored_point((at), true), (void)(*(at) = (value)), explored_changed(at))
#define ch_atomic_exchange(at, value)                                                                                  \
  ({                                                                                                                   \
    explored_point((at), true);                                                                                        \
    __typeof__(*(at)) was_ = *(at);                                                                                    \
    *(at) = (value);                                                                                                   \
    explored_changed(at);                                                                                              \
    was_;                                                                                                              \
  })
#define ch_atomic_add(at, value)                                                                                       \
  ({                                                                                                                   \
    explored_point((at), true);                                                                                        \
    __typeof__(*(at)) was_ = *(at);                                                                                    \
    *(at) += (value);                                                                                                  \
    explored_changed(at);                                                                                              \
    was_;                                                                                                              \
  })
#define ch_atomic_change(at, is, to)                                                                                   \
  ({                                                                                                                   \
    explored_point((at), true);                                                                                        \
    bool same_ = *(at) == *(is);                                                                                       \
    if (same_)                                                                                                         \
      *(at) = (to), explored_changed(at);                                                                              \
    else                                                                                                               \
      *(is) = *(at);                                                                                                   \
    same_;                                                                                                             \
  })
#define CH_ATOMIC_GLANCES 1 /* several in a row find what one of them would have found */
static inline void ch_atomic_relax(unsigned tries) { (void)tries, explored_spin(); }
static inline void ch_atomic_pause(void) {}

extern struct ch_wait *ch_enlisting_here;

#endif
