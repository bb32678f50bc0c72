// Pass `twins`: the table by which an address finds its interruptible version. See twins.cpp.
#ifndef CHARCOAL_PASSES_TWINS_H
#define CHARCOAL_PASSES_TWINS_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

// Used as a value, not only called. Lists that the linker or the loader reads are no uses.
bool isAddressTaken(const llvm::Function &);

struct TwinsPass : llvm::PassInfoMixin<TwinsPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
