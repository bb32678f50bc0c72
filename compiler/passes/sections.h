// The pass `sections`. See sections.cpp.
#ifndef CHARCOAL_PASSES_SECTIONS_H
#define CHARCOAL_PASSES_SECTIONS_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct SectionsPass : llvm::PassInfoMixin<SectionsPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
