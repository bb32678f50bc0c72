// The pass `statics`. See statics.cpp.
#ifndef CHARCOAL_PASSES_STATICS_H
#define CHARCOAL_PASSES_STATICS_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct StaticsPass : llvm::PassInfoMixin<StaticsPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
