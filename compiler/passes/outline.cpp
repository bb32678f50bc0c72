// Pass `outline`.
#include "outline.h"

using namespace llvm;

namespace charcoal {

PreservedAnalyses OutlinePass::run(Module &, ModuleAnalysisManager &) { return PreservedAnalyses::all(); }

} // namespace charcoal
