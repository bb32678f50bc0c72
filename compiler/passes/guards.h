// Red zones between the locals in a frame on the heap, in functions that AddressSanitizer instruments.
//
// AddressSanitizer runs after `split` and guards the locals that are still on the stack then. Locals with a home in the
// frame get the same layout here, from the same functions of LLVM. So it finds the same mistakes in interruptible code
// as in plain code: accesses beside a local, after the end of its block, and after the function's return.
#ifndef CHARCOAL_PASSES_GUARDS_H
#define CHARCOAL_PASSES_GUARDS_H

#include "abi.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ASanStackFrameLayout.h"

namespace charcoal {

class Guards {
public:
  // Whether AddressSanitizer guards such a local: one with an address. Accesses to others cannot go astray.
  static bool guards(const llvm::AllocaInst &);

  Guards(Abi &, llvm::ArrayRef<llvm::AllocaInst *>);
  // All offsets count from the first red zone.
  uint64_t offsetOf(const llvm::AllocaInst *) const;
  uint64_t size;
  llvm::Align align;

  // Puts beside each lifetime marker of the local what makes it known to AddressSanitizer.
  void markScopes(llvm::AllocaInst *);
  // A constant struct ch_guards; the first red zone begins at `start` in the frame.
  llvm::Constant *description(uint64_t start) const;

private:
  Abi &abi;
  std::vector<std::string> names; // that `variables` point to
  llvm::SmallVector<llvm::ASanStackVariableDescription> variables;
  llvm::ASanStackFrameLayout layout;
};

} // namespace charcoal

#endif
