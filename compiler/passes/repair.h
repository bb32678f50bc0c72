// The pass `repair`. See repair.cpp.
#ifndef CHARCOAL_PASSES_REPAIR_H
#define CHARCOAL_PASSES_REPAIR_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct RepairPass : llvm::PassInfoMixin<RepairPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
