// Pass `versions`: the table by which an address finds its interruptible version. See versions.cpp.
#ifndef CHARCOAL_PASSES_VERSIONS_H
#define CHARCOAL_PASSES_VERSIONS_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

// Whether a function is used as a value and not only called. Entries in lists that the linker or the loader reads do
// not count.
bool isAddressTaken(const llvm::Function &);

struct VersionsPass : llvm::PassInfoMixin<VersionsPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// Drops the entries of functions of other modules that nothing else uses any more.
struct UnusedPass : llvm::PassInfoMixin<UnusedPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
