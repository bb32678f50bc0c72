// Pass `constants`: code that only the code generator would find to be dead goes before others count on it.
//
//   takes   functions that were not optimised: those of -O0, and those with optnone
//   leaves  the same without questions whether a value is a constant, and how large an object is
//
//     %known = call i1 @llvm.is.constant.i32(i32 %n)        br label %on
//     br i1 %known, label %then, label %on             =>   on: …
//     then: call void @not_a_constant() …
//
// Code of this kind often calls a function that does not exist, so that the linker reports a mistake of the program.
// The code generator answers the same questions in the same way and drops the code, so that nothing names the function.
// But by then `split` would have made a function that calls it, which stays, and its address would stand in the table
// of `versions`. Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-constants
#include "constants.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/LowerConstantIntrinsics.h"

using namespace llvm;

namespace charcoal {

// Only stage `middle` leaves this mark (pipeline.cpp), and it does not run at -O0. The functions of -O0 need not have
// optnone: those that are always inlined do not, nor does any with -Xclang -disable-O0-optnone.
static bool isOptimized(const Function &F) {
  return !F.hasOptNone() && F.getParent()->getNamedMetadata("charcoal.middle");
}

static bool isQuestion(const Function &F) {
  return F.getIntrinsicID() == Intrinsic::is_constant || F.getIntrinsicID() == Intrinsic::objectsize;
}

PreservedAnalyses ConstantsPass::run(Module &M, ModuleAnalysisManager &analyses) {
  SmallPtrSet<Function *, 8> asking;
  for (Function &intrinsic : M)
    if (isQuestion(intrinsic))
      for (User *question : intrinsic.users())
        if (Function *F = cast<Instruction>(question)->getFunction(); !isOptimized(*F))
          asking.insert(F);
  if (asking.empty())
    return PreservedAnalyses::all();
  FunctionAnalysisManager &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *F : asking)
    lowerConstantIntrinsics(*F, functions.getResult<TargetLibraryAnalysis>(*F), /*DT=*/nullptr);
  return PreservedAnalyses::none();
}

} // namespace charcoal
