// The pass `unwinding`. See unwinding.cpp.
#ifndef CHARCOAL_PASSES_UNWINDING_H
#define CHARCOAL_PASSES_UNWINDING_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct UnwindingPass : llvm::PassInfoMixin<UnwindingPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
