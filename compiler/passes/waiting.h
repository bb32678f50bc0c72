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
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"
#include <optional>

namespace llvm {
class AllocaInst;
class BasicBlock;
class Function;
} // namespace llvm

namespace charcoal {

// Keeps what holds for the whole function, so that many cycles in one function take time in proportion to their number.
// The graph of the function's blocks, and what becomes of the addresses of its variables, must not change meanwhile.
class Waiting {
public:
  explicit Waiting(llvm::Function &function) : function(function) {}
  bool onlyWaits(llvm::ArrayRef<llvm::BasicBlock *> cycle);

private:
  friend class Cycle;
  bool isPrivate(llvm::AllocaInst &);
  llvm::PostDominatorTree &postDominators();

  llvm::Function &function;
  llvm::DenseMap<const llvm::AllocaInst *, bool> known; // whether nobody else has the address
  std::optional<llvm::PostDominatorTree> tree;          // made when it is first asked for
};

} // namespace charcoal

#endif
