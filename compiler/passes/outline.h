// Pass `outline`: what the front end left as marker calls becomes calls of the runtime. See outline.cpp.
#ifndef CHARCOAL_PASSES_OUTLINE_H
#define CHARCOAL_PASSES_OUTLINE_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct OutlinePass : llvm::PassInfoMixin<OutlinePass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; } // also at -O0 and for optnone functions
};

} // namespace charcoal

#endif
