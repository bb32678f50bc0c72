// Atomic regions: where they are (analysis), and what they become (pass `atomic`). See atomic.cpp.
#ifndef CHARCOAL_PASSES_ATOMIC_H
#define CHARCOAL_PASSES_ATOMIC_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/PassManager.h"

namespace charcoal {

// How many atomic blocks of this function surround an instruction. The depth is static: the front end closes every way
// out of a region by a cleanup, so all paths to a block agree.
class AtomicDepth {
public:
  explicit AtomicDepth(llvm::Function &);
  unsigned entering(const llvm::BasicBlock &BB) const { return atEntry.lookup(&BB); }
  // Calls visit(instruction, depth) for each instruction of BB in order; the depth is that before the instruction.
  template <typename Visit> void walk(llvm::BasicBlock &BB, Visit visit) const {
    unsigned depth = entering(BB);
    for (llvm::Instruction &I : llvm::make_early_inc_range(BB)) {
      int change = delta(I);
      visit(I, depth);
      depth += change;
    }
  }

private:
  static int delta(const llvm::Instruction &);
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> atEntry;
};

struct AtomicPass : llvm::PassInfoMixin<AtomicPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
