// Pass `strips`: loops whose calls are inlined give way outside of themselves. See strips.cpp.
#ifndef CHARCOAL_PASSES_STRIPS_H
#define CHARCOAL_PASSES_STRIPS_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct StripsPass : llvm::PassInfoMixin<StripsPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
