// Analyses for `split`: which values must survive a suspension, and at which points. They change nothing.
//
// A *point* is a place where an activation may be set aside. `split` has put each at the end of a block (`before`) that
// goes on to a block of its own (`after`), which has no other predecessor.
#ifndef CHARCOAL_PASSES_CROSSING_H
#define CHARCOAL_PASSES_CROSSING_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace charcoal {

struct Point {
  llvm::Instruction *at;    // the call
  llvm::BasicBlock *before; // ends with it
  llvm::BasicBlock *after;  // where the activation goes on
  uint64_t frequency = 1;   // of `before`, in the units of BlockFrequencyInfo, where that is known
};

// The block in which a use needs its value: of a phi the end of the block from which control comes.
llvm::BasicBlock *blockOfUse(const llvm::Use &);

// SSA values that are live across a point.
//
//   live-in(B)  = used in B before any definition, or live out and not defined in B
//   V crosses k = V is live into after(k)
//   reloaded(V) = { B : V is live into B, and B is reached from some after(k) that V crosses, inside V's live range }
//
// In a block of reloaded(V) the value may have been computed by an earlier activation on another native stack;
// everywhere else the definition still dominates.
class CrossingValues {
public:
  CrossingValues(llvm::Function &, llvm::ArrayRef<Point>);
  struct Value {
    llvm::Value *value;
    llvm::SparseBitVector<> reloaded;      // numbers of blocks
    llvm::SmallVector<unsigned, 4> points; // indices
  };
  llvm::SmallVector<Value, 0> values; // in program order
  // A block that was made after the analysis is in the range of no value.
  bool isReloaded(const Value &V, const llvm::BasicBlock *BB) const {
    auto number = numbers.find(BB);
    return number != numbers.end() && V.reloaded.test(number->second);
  }

private:
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> numbers;
};

// What becomes of a local with an address.
enum class LocalClass {
  Native, // not alive across any point: stays on the native stack
  Image,  // alive across a point, but nobody remembers its address: moves with the image
  Home,   // its address is known elsewhere, or it is large and this a stress build: needs a fixed place, in the frame,
          // which is taken before its first use
};

class Locals {
public:
  Locals(llvm::Function &, llvm::ArrayRef<Point>, const CrossingValues &);
  llvm::MapVector<llvm::AllocaInst *, LocalClass> classes;
  // Native locals whose lifetime markers enclose a point: a resumption would enter between them.
  llvm::SmallPtrSet<llvm::AllocaInst *, 8> unmarked;
};

} // namespace charcoal

#endif
