// The pass `shortcuts`. See shortcuts.cpp.
#ifndef CHARCOAL_PASSES_SHORTCUTS_H
#define CHARCOAL_PASSES_SHORTCUTS_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct ShortcutsPass : llvm::PassInfoMixin<ShortcutsPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
