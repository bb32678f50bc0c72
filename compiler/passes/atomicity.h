// The pass of -fcharcoal-atomicity. See atomicity.cpp.
#ifndef CHARCOAL_PASSES_ATOMICITY_H
#define CHARCOAL_PASSES_ATOMICITY_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

// See atomicity.cpp.
struct AtomicityPass : llvm::PassInfoMixin<AtomicityPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
