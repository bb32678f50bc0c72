// Pass `retain`: makes the linker keep what the program keeps, although charcoal-cc asks it to drop unused sections.
//
//   takes   the module as clang made it
//   leaves  in llvm.used, which the linker heeds, what stood in llvm.compiler.used, which only the compiler heeds; and
//           what the program put into a section by name where other modules see it
//
//     @llvm.compiler.used = [@info]          @llvm.used = [@info, @table]
//     @table = … section "commands"    =>    @table = … section "commands"
//
// Sections are dropped to get rid of interruptible versions that nobody calls; an ordinary link would drop nothing.
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
