// Pass `known`: a look-up whose answer is known becomes that answer. See known.cpp.
#ifndef CHARCOAL_PASSES_KNOWN_H
#define CHARCOAL_PASSES_KNOWN_H

#include "llvm/IR/PassManager.h"

namespace charcoal {

struct KnownPass : llvm::PassInfoMixin<KnownPass> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// While LLVM inlines: only those look-ups whose answer is a plain function. A pass over one function must not refer to
// functions to which it did not refer before, as it would if the answer were an interruptible version.
struct KnownPlain : llvm::PassInfoMixin<KnownPlain> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
