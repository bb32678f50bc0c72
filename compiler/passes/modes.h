// The pass `modes`. See modes.cpp.
#ifndef CHARCOAL_PASSES_MODES_H
#define CHARCOAL_PASSES_MODES_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct ModesPass : llvm::PassInfoMixin<ModesPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
