// Pass `split`: interruptible versions become able to suspend. See split.cpp.
#ifndef CHARCOAL_PASSES_SPLIT_H
#define CHARCOAL_PASSES_SPLIT_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct SplitPass : llvm::PassInfoMixin<SplitPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
