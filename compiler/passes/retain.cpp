// Pass `retain`: what the program keeps stays, although charcoal-cc asks the linker to drop what nobody uses.
//
//   takes   the module as clang made it
//   leaves  in llvm.used, which the linker heeds, what stood in llvm.compiler.used, which only the compiler heeds; and
//           what the program put into a section by name where other modules see it
//
//     @llvm.compiler.used = [@info]          @llvm.used = [@info, @table]
//     @table = … section "commands"    =>    @table = … section "commands"
//
// Dropping sections is there for interruptible versions that nobody calls; a plain link keeps all of the program.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-retain
#include "retain.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace charcoal {

PreservedAnalyses RetainPass::run(Module &M, ModuleAnalysisManager &) {
  SmallVector<GlobalValue *> kept, used;
  collectUsedGlobalVariables(M, used, /*CompilerUsed=*/true);
  for (GlobalValue *V : used)
    if (!V->isDeclaration() && !V->hasAvailableExternallyLinkage())
      kept.push_back(V);
  for (GlobalObject &O : M.global_objects())
    if (O.hasSection() && !O.isDeclaration() && O.hasExternalLinkage())
      kept.push_back(&O);
  if (kept.empty())
    return PreservedAnalyses::all();
  appendToUsed(M, kept);
  return PreservedAnalyses::none();
}

} // namespace charcoal
