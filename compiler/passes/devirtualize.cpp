// Pass `devirtualize`: a look-up whose answer is known becomes that answer.
//
//   takes   interruptible versions in which LLVM has found out which function some pointer is the address of
//   leaves  calls of that function without a look-up. If it always returns soon, the call is plain, and is inlined like
//           any other
//
//     %f = call ptr @charcoal.version_of(ptr @by_size, ptr @adapter)
//     call i32 %f(…) #suspends                                        =>     call i32 @by_size(…)
//
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-devirtualize
#include "devirtualize.h"
#include "suspension_markers.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace charcoal {

// What a call of the function is a call of in interruptible code; null if that is decided elsewhere.
static Function *answerFor(Function &callee) {
  Function *version = callee.getParent()->getFunction(versionName(callee.getName(), /*isVariadic=*/false));
  const bool isHere = version && isInterruptible(*version) &&
                      version->getFnAttribute(VersionAttr).getValueAsString() == callee.getName();
  if (isHere && !callee.isInterposable())
    return version->hasFnAttribute(BoundedAttr) ? &callee : version;
  const bool hasNone = !version && !callee.isDeclaration() && !callee.isInterposable();
  return hasNone ? &callee : nullptr;
}

// A call of another type than the function's passes through an adapter.
static bool isCallOf(const Function &callee, const CallBase &CB) {
  return CB.getFunctionType() == callee.getFunctionType() && !callee.isVarArg() &&
         CB.getCallingConv() == callee.getCallingConv() &&
         CB.getFnAttr(SuspendsAttr).getValueAsString() != "unprototyped";
}

static bool replaceLookup(CallInst &lookup, bool onlyPlain) {
  auto *callee = dyn_cast<Function>(lookup.getArgOperand(0));
  Function *answer = callee ? answerFor(*callee) : nullptr;
  if (!answer || (onlyPlain && answer != callee))
    return false;
  bool changed = false;
  for (User *user : make_early_inc_range(lookup.users())) {
    auto *CB = dyn_cast<CallBase>(user);
    if (!CB || CB->getCalledOperand() != &lookup || !isCallOf(*callee, *CB))
      continue;
    CB->setCalledOperand(answer);
    if (answer == callee)
      CB->removeFnAttr(SuspendsAttr);
    changed = true;
  }
  if (lookup.use_empty())
    lookup.eraseFromParent();
  return changed;
}

static bool replaceLookups(Function &F, bool onlyPlain) {
  bool changed = false;
  if (isInterruptible(F))
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (calls(I, VersionOfName))
        changed |= replaceLookup(cast<CallInst>(I), onlyPlain);
  return changed;
}

PreservedAnalyses DevirtualizeToPlain::run(Function &F, FunctionAnalysisManager &) {
  if (!replaceLookups(F, /*onlyPlain=*/true))
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

PreservedAnalyses DevirtualizePass::run(Module &M, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &F : M)
    changed |= replaceLookups(F, /*onlyPlain=*/false);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
