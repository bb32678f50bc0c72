// Pass `devirtualize`: a look-up whose answer is known becomes that answer. See devirtualize.cpp.
#ifndef CHARCOAL_PASSES_DEVIRTUALIZE_H
#define CHARCOAL_PASSES_DEVIRTUALIZE_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct DevirtualizePass : llvm::PassInfoMixin<DevirtualizePass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// While LLVM inlines: only those look-ups whose answer is a plain function. A pass over one function must not refer to
// functions to which it did not refer before, as it would if the answer were an interruptible version.
struct DevirtualizeToPlain : llvm::PassInfoMixin<DevirtualizeToPlain> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
