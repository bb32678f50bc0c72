// Analysis: whether a cycle of the control-flow graph only waits until somebody changes memory. Examples are
//
//   while (!ready) ;                                        with a volatile or atomic `ready`
//   while (!ready) if (++turns % 64 == 0) pause();
//   while (__c11_atomic_exchange(&lock, 1, …)) back_off *= 2;
//
// Only such cycles get a yield point although they make no calls. All other code between two calls is never interrupted
// (the Charcoal paper promises this), even if it reads shared memory. A cycle waits if
//   - it changes no memory but locals whose address nobody has; an atomic operation that has no further effect when it
//     is done again (compare and exchange, exchange, or, and) is no change;
//   - it looks at volatile or atomic memory, at the same place in each turn: not along an array or a list; and
//   - going round once more without a change from elsewhere leaves its locals as they are; or else, if it counts its
//     turns, whether it ends is up to such looks alone: what counts to a limit ends by itself.
#ifndef CHARCOAL_PASSES_WAITING_H
#define CHARCOAL_PASSES_WAITING_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class BasicBlock;
}

namespace charcoal {

bool onlyWaits(llvm::ArrayRef<const llvm::BasicBlock *> cycle);

} // namespace charcoal

#endif
