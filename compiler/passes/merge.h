// Pass `merge`: removes yield points that others make superfluous. See merge.cpp.
#ifndef CHARCOAL_PASSES_MERGE_H
#define CHARCOAL_PASSES_MERGE_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct MergePass : llvm::PassInfoMixin<MergePass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// While LLVM inlines: only those that have another check behind them in their block, because the entries of thousands
// of inlined functions would otherwise be carried through all of LLVM's passes.
struct MergeInBlocks : llvm::PassInfoMixin<MergeInBlocks> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
