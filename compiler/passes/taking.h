// Analysis for `split`: where an activation takes the frame in which its homes live. It changes nothing.
#ifndef CHARCOAL_PASSES_TAKING_H
#define CHARCOAL_PASSES_TAKING_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace charcoal {

// Many functions need a home only where something unusual happens: a value to be converted, an error to be reported.
// They take the frame there, unless they have taken it already.
//
//   - Each use of a home is dominated by exactly one of `places`.
//   - None of them is in a loop.
//   - Together they run less often than the function, as far as can be told; else there is only the entry block.
struct Taking {
  Taking(llvm::Function &, llvm::ArrayRef<llvm::AllocaInst *> homes, bool onlyAtEntry);
  struct Place {
    llvm::BasicBlock *block;
    bool again; // the frame may have been taken at another place
  };
  llvm::SmallVector<Place, 2> places;
  // The blocks that are reached from one of them.
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> reached;

  bool atEntry() const { return places.front().block->isEntryBlock(); }
  // Returns the instruction of such a block before which the frame is taken.
  static llvm::Instruction *positionIn(llvm::BasicBlock &, llvm::ArrayRef<llvm::AllocaInst *> homes);
};

} // namespace charcoal

#endif
