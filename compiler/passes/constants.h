// The pass `constants`. See constants.cpp.
#ifndef CHARCOAL_PASSES_CONSTANTS_H
#define CHARCOAL_PASSES_CONSTANTS_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct ConstantsPass : llvm::PassInfoMixin<ConstantsPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
