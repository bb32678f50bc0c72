// Analysis for `split`: where an activation takes the frame in which its homes live. It changes nothing.
#ifndef CHARCOAL_PASSES_TAKING_H
#define CHARCOAL_PASSES_TAKING_H

#include "crossing.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace charcoal {

// Many functions need a home only where something unusual happens: a value to be converted, an error to be reported.
// They take the frame there, unless they have taken it already.
//
//   - Each use of a home is dominated by exactly one of `places`.
//   - None of them is in a loop.
//   - Together they run at most as often as the function, as far as can be told; else there is only the entry block.
struct Taking {
  Taking(llvm::Function &, llvm::ArrayRef<llvm::AllocaInst *> homes, bool onlyAtEntry);
  struct Place {
    llvm::BasicBlock *block;
    bool again; // the frame may have been taken at another place
  };
  llvm::SmallVector<Place, 2> places;
  // They run so seldom that they are better than the entry although the activation must remember whether it has passed
  // one of them.
  bool isSeldom = false;
  // The blocks that are reached from one of them.
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> reached;

  bool atEntry() const { return places.front().block->isEntryBlock(); }
  // Returns the instruction of such a block before which the frame is taken.
  static llvm::Instruction *positionIn(llvm::BasicBlock &, llvm::ArrayRef<llvm::AllocaInst *> homes);
};

// Where an activation that takes its frame late gives it back: when the lifetime of the last home ends, or else where
// the activation ends. So of each instruction it is known whether the activation has its frame there.
struct Tenure {
  // `taken` are the instructions before which the frame is taken, `ends` those by which the activation ends. Nothing if
  // there is an instruction at which the activation may have the frame, or may not.
  static std::optional<Tenure> find(llvm::Function &, llvm::ArrayRef<llvm::AllocaInst *> homes,
                                    llvm::ArrayRef<llvm::Instruction *> taken, llvm::ArrayRef<llvm::Instruction *> ends,
                                    llvm::ArrayRef<Point>);
  llvm::SmallVector<llvm::Instruction *> given; // before these it is given back
  llvm::SmallBitVector points;                  // at which the activation has its frame
};

} // namespace charcoal

#endif
