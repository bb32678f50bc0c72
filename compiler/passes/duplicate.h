// Pass `duplicate`: every function that can suspend gets its interruptible version. See duplicate.cpp.
#ifndef CHARCOAL_PASSES_DUPLICATE_H
#define CHARCOAL_PASSES_DUPLICATE_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct DuplicatePass : llvm::PassInfoMixin<DuplicatePass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
