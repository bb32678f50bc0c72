// Analysis: where the address of a local goes. It changes nothing.
#ifndef CHARCOAL_PASSES_ADDRESSES_H
#define CHARCOAL_PASSES_ADDRESSES_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace charcoal {

// Whether this computes an address at a constant offset from a local. Such a computation can be repeated anywhere.
bool isRepeatable(const llvm::Value *);
// Returns the static local at the root of such a computation, or null.
llvm::AllocaInst *rootOfRepeatable(llvm::Value *);

// Every pointer derived from a local, and what is done with it.
//
// An address that is only compared does not escape. Programs compare that of a local with a limit to find out whether
// the stack is nearly full, and for that the local has to lie on the stack and not in a frame. Nobody sees that it lies
// elsewhere after a wait, because a pointer that is used before and after one keeps the local in a frame.
struct AddressUses {
  explicit AddressUses(llvm::AllocaInst &);

  llvm::SmallVector<llvm::Instruction *> accesses;       // instructions that may touch the local
  llvm::SmallPtrSet<const llvm::Value *, 8> derived;     // pointers into it, other than repeatable ones
  llvm::SmallVector<llvm::IntrinsicInst *> starts, ends; // the markers of its lifetime
  // Somebody else may know the address while a suspending call is under way, so it must not change.
  bool escapes = false;
  // From these instructions on somebody may know the address for good, not only during a call.
  llvm::SmallVector<llvm::Instruction *> captures;

private:
  using Work = llvm::SmallVectorImpl<llvm::Value *>;
  using Seen = llvm::SmallPtrSetImpl<llvm::Value *>;
  void follow(llvm::Instruction *, Work &, Seen &);
  void visit(llvm::Use &, Work &, Seen &);
  void capturedBy(llvm::Instruction *);
};

} // namespace charcoal

#endif
