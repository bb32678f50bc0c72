// The pass `retain`. See retain.cpp.
#ifndef CHARCOAL_PASSES_RETAIN_H
#define CHARCOAL_PASSES_RETAIN_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct RetainPass : llvm::PassInfoMixin<RetainPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
