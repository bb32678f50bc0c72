// Pass `merge`: removes yield points that others make superfluous. See merge.cpp.
#ifndef CHARCOAL_PASSES_MERGE_H
#define CHARCOAL_PASSES_MERGE_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct MergePass : llvm::PassInfoMixin<MergePass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
