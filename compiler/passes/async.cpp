// See async.h.
#include "async.h"
#include "suspension_markers.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace charcoal {

static CallInst *replaceBundles(CallInst &old, ArrayRef<OperandBundleDef> bundles) {
  CallInst *call = CallInst::Create(&old, bundles, old.getIterator());
  call->takeName(&old);
  old.replaceAllUsesWith(call);
  old.eraseFromParent();
  return call;
}

CallInst *makeAsync(CallInst &call, Value *scope) {
  std::vector<Value *> captured{scope};
  for (Value *argument : call.args())
    if (argument->getType()->isPointerTy())
      captured.push_back(argument);
  return replaceBundles(call, OperandBundleDef(AsyncBundle.str(), captured));
}

void makeOrdinary(CallInst &call) {
  SmallVector<OperandBundleDef, 1> bundles;
  call.getOperandBundlesAsDefs(bundles);
  erase_if(bundles, [](const OperandBundleDef &bundle) { return bundle.getTag() == AsyncBundle; });
  replaceBundles(call, bundles);
}

// Returns the only call of a body that evaluates arguments, makes the call, and ends. The call must have no arguments
// and no result in memory: they would lie in the caller's memory, and the caller goes on while they are in use.
static CallInst *onlyCall(Function &body) {
  if (body.size() != 1 || body.hasFnAttribute(Attribute::NoInline))
    return nullptr;
  CallInst *only = nullptr;
  for (Instruction &I : body.getEntryBlock()) {
    if (isa<ReturnInst>(I))
      return only;
    if (only)
      return nullptr;
    only = dyn_cast<CallInst>(&I);
    if (only) {
      if (!isRealCall(I) || only->getIntrinsicID() || only->isInlineAsm() || only->hasOperandBundles() ||
          only->getFunctionType()->isVarArg() || only->isMustTailCall() || !only->use_empty())
        return nullptr;
      for (unsigned i = 0; i < only->arg_size(); ++i)
        if (only->isByValArgument(i) || only->paramHasAttr(i, Attribute::StructRet))
          return nullptr;
    } else if (isa<AllocaInst>(I) || I.mayHaveSideEffects()) {
      return nullptr;
    }
  }
  return nullptr;
}

void shorten(CallInst &async) {
  Function &body = *async.getCalledFunction();
  if (!onlyCall(body))
    return;
  Value *scope = asyncScope(async);
  CallInst *call = replaceBundles(async, {});
  InlineFunctionInfo info;
  if (!InlineFunction(*call, info).isSuccess() || info.InlinedCallSites.size() != 1) {
    if (call->getParent()) // it was not inlined, so it stays an async call
      makeAsync(*call, scope);
    return;
  }
  makeAsync(*cast<CallInst>(info.InlinedCallSites[0]), scope);
  if (body.use_empty())
    body.eraseFromParent();
}

static void asyncsReturn(Function &F) {
  for (Instruction &I : instructions(F))
    if (auto *call = dyn_cast<CallInst>(&I); call && isAsync(*call)) {
      call->removeFnAttr(Attribute::NoReturn);
      if (Function *body = call->getCalledFunction())
        body->removeFnAttr(Attribute::NoReturn);
    }
}

// LLVM visits callees first, so it would know that a body never returns before it looks at the call.
PreservedAnalyses AsyncsReturnInFunctions::run(LazyCallGraph::SCC &callers, CGSCCAnalysisManager &, LazyCallGraph &,
                                               CGSCCUpdateResult &) {
  for (LazyCallGraph::Node &caller : callers)
    asyncsReturn(caller.getFunction());
  return PreservedAnalyses::all();
}

// This pass is for functions that call themselves.
PreservedAnalyses AsyncsReturn::run(Module &M, ModuleAnalysisManager &) {
  for (Function &F : M)
    asyncsReturn(F);
  return PreservedAnalyses::all();
}

} // namespace charcoal
