// Pass `duplicate`: the interruptible version of each function that can suspend.
//
//   takes   the module as clang made it, after `outline`; markers __charcoal_yield, __charcoal_atomic_…
//   leaves  beside each such f a clone f.int (attribute "charcoal-version-of"), still of f's type, whose calls go to
//           interruptible versions (attribute "charcoal-suspends") except in atomic regions; yield points as calls of
//           charcoal.yield; main renamed, so that the program begins in the runtime
//
//     define i32 @f(i32 %x) {            define i32 @f.int(i32 %x) "charcoal-version-of"="f" {
//       %a = call i32 @g(i32 %x)           call void @charcoal.yield()
//       %b = call i32 %p(i32 %a)           %a = call i32 @g.int(i32 %x) "charcoal-suspends"
//       ret i32 %b                         %q = call ptr @charcoal.version_of(ptr %p, ptr @adapter)
//     }                                    %b = call i32 %q(i32 %a) "charcoal-suspends"
//                                          ret i32 %b
//                                        }
//
// The pass runs at the start of the pipeline. Calls in atomic regions and in plain versions stay plain calls, and the
// optimiser treats them as in C. Yield points are from here on calls of unknown functions, so that no global variable
// stays in a register across one.
// Its parts: duplicate_clone.cpp, duplicate_forward.cpp, duplicate_yields.cpp.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-duplicate
#include "duplicate.h"
#include "abi.h"
#include "anchor.h"
#include "async.h"
#include "atomic.h"
#include "duplicator.h"
#include "glue.h"
#include "suspension_markers.h"
#include "options.h"
#include "suspension.h"
#include "variadic.h"
#include "versions.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace charcoal {

namespace {

class Duplicator {
public:
  explicit Duplicator(Module &M) : M(M), abi(M), glue(abi), suspension(M), O(options()) {}
  void run();

private:
  void rewriteCalls(Function &version);
  void makeSuspending(CallBase &, CallKind);
  SmallVector<CallInst *, 2> makeVariadic(CallInst &, CallKind);
  void keepAsyncWhereItSuspends();

  Module &M;
  Abi abi;
  Glue glue;
  Suspension suspension;
  const Options &O;
  Versions versions;
  DenseMap<const Function *, AllocaInst *> variableArguments; // of each interruptible version, if any
};

} // namespace

void markSuspending(CallBase &CB, bool unprototyped) {
  const Module &M = *CB.getModule();
  LLVMContext &C = M.getContext();
  AttributeList old = CB.getAttributes();
  AttrBuilder none(C);
  SmallVector<AttributeSet> params;
  for (unsigned i = 0; i < CB.arg_size(); ++i) {
    AttributeSet set = old.getParamAttrs(i);
    // In C an object that a function returns has another address than any that the function knew. In C++ it may have
    // the address of itself, as a short std::string has.
    if (set.hasAttribute(Attribute::StructRet) && languageOf(M) == Language::C)
      set = set.addAttributes(C, AttributeSet::get(C, {noCapture(C)}));
    for (Attribute::AttrKind drop : droppedOfParameters(M))
      set = set.removeAttribute(C, drop);
    params.push_back(set);
  }
  AttributeSet result = old.getRetAttrs().removeAttribute(C, Attribute::NoAlias);
  AttributeSet function = AttributeSet().addAttribute(C, SuspendsAttr, unprototyped ? "unprototyped" : "");
  if (old.hasFnAttr(Attribute::NoUnwind))
    function = function.addAttribute(C, Attribute::NoUnwind);
  CB.setAttributes(AttributeList::get(C, function, result, params));
}

void Duplicator::makeSuspending(CallBase &CB, CallKind kind) {
  FunctionType *type = CB.getFunctionType();
  bool unprototyped = type->isVarArg();
  if (unprototyped) {
    SmallVector<Type *> params;
    for (Value *argument : CB.args())
      params.push_back(argument->getType());
    type = FunctionType::get(type->getReturnType(), params, false);
    CB.mutateFunctionType(type);
  }
  Value *callee = CB.getCalledOperand();
  if (auto *alias = dyn_cast<GlobalAlias>(callee); alias && kind == CallKind::Direct)
    callee = const_cast<GlobalObject *>(alias->getAliaseeObject());
  switch (kind) {
  case CallKind::Direct:
    CB.setCalledOperand(versions[cast<Function>(callee)]);
    break;
  case CallKind::External: {
    auto *plain = cast<Function>(callee);
    CB.setCalledOperand(externalVersion(*plain, type, /*isVariadic=*/false));
    break;
  }
  case CallKind::Lookup: {
    markSuspending(CB, unprototyped);
    IRBuilder<> B(&CB);
    Function *adapter = glue.adapter(Signature::of(CB));
    CallInst *version = B.CreateCall(markerFunction(M, VersionOfName), {callee, adapter});
    version->setDoesNotThrow();
    CB.setCalledOperand(version);
    return;
  }
  default:
    llvm_unreachable("stays plain, or is variadic");
  }
  markSuspending(CB, unprototyped);
}

void Duplicator::rewriteCalls(Function &version) {
  SmallVector<std::pair<CallBase *, CallKind>> variadic;
  SmallVector<InvokeInst *> invokes; // behind which the activation gives way
  AtomicDepth depth(version);
  for (BasicBlock &BB : make_early_inc_range(version))
    depth.walk(BB, [&](Instruction &I, unsigned level) {
      auto *CB = dyn_cast<CallBase>(&I);
      if (!CB || isa<CallBrInst>(I) || level || !isRealCall(I))
        return;
      CallKind kind = suspension.classify(*CB);
      if (O.stress) {
        yieldBefore(CB, true);
        if (auto *invoke = dyn_cast<InvokeInst>(CB))
          invokes.push_back(invoke);
        else if (!CB->isMustTailCall())
          yieldBefore(CB->getNextNode(), true)->setDebugLoc(CB->getDebugLoc());
      } else if (kind == CallKind::PlainYield && O.yields != Yields::None) {
        yieldBefore(CB, false);
      }
      if (kind == CallKind::Variadic || kind == CallKind::ExternalVariadic)
        variadic.push_back({CB, kind});
      else if (kind != CallKind::Plain && kind != CallKind::PlainYield)
        makeSuspending(*CB, kind);
    });
  for (InvokeInst *invoke : invokes) {
    BasicBlock *next = invoke->getNormalDest();
    if (!next->getSinglePredecessor())
      next = SplitEdge(invoke->getParent(), next);
    yieldBefore(&*next->getFirstInsertionPt(), true)->setDebugLoc(invoke->getDebugLoc());
  }
  for (auto &[CB, kind] : reverse(variadic)) { // each block is split from its end, so that few instructions are moved
    auto *invoke = dyn_cast<InvokeInst>(CB);
    BasicBlock *pad = invoke ? invoke->getUnwindDest() : nullptr;
    for (CallInst *call : makeVariadic(invoke ? *changeToCall(invoke) : cast<CallInst>(*CB), kind))
      if (pad)
        changeToInvokeAndSplitBasicBlock(call, pad);
  }
}

// One block for variable arguments serves all such calls of a function, because each has returned before the next
// begins. Returns the calls of which one is made now.
SmallVector<CallInst *, 2> Duplicator::makeVariadic(CallInst &CB, CallKind kind) {
  Function &F = *CB.getFunction();
  Align align(16);
  uint64_t bytes = variableArgumentBytes(CB, align);
  AllocaInst *&area = variableArguments[&F];
  if (!area) {
    IRBuilder<> top(&*F.getEntryBlock().getFirstNonPHIIt());
    area = top.CreateAlloca(ArrayType::get(abi.I8, bytes), nullptr, "variable_arguments");
    area->setAlignment(align);
  }
  area->setAlignment(std::max(area->getAlign(), align));
  if (area->getAllocatedType()->getArrayNumElements() < bytes)
    area->setAllocatedType(ArrayType::get(abi.I8, bytes));

  auto *plain = cast<Function>(CB.getCalledOperand());
  FunctionType *type = variadicVersionType(*CB.getFunctionType());
  auto callVersion = [&](Function *version, Instruction *at) {
    // It is used for this call alone, so that the frame that holds it is given back after the call.
    if (!F.hasFnAttribute(Attribute::OptimizeNone))
      IRBuilder<>(at).CreateLifetimeStart(area);
    storeVariableArguments(CB, area, at);
    SmallVector<Value *> arguments(CB.arg_begin(), CB.arg_begin() + (type->getNumParams() - 1));
    SmallVector<AttributeSet> sets;
    for (unsigned i = 0; i < arguments.size(); ++i)
      sets.push_back(CB.getAttributes().getParamAttrs(i));
    arguments.push_back(area);
    sets.push_back(AttributeSet::get(M.getContext(), {noCapture(M.getContext())}));
    IRBuilder<> B(at);
    CallInst *call = B.CreateCall(type, version, arguments);
    call->setDebugLoc(CB.getDebugLoc());
    call->setAttributes(
        AttributeList::get(M.getContext(), CB.getAttributes().getFnAttrs(), CB.getAttributes().getRetAttrs(), sets));
    markSuspending(*call, false);
    if (!F.hasFnAttribute(Attribute::OptimizeNone))
      B.CreateLifetimeEnd(area);
    return call;
  };
  // The inliner is told the cost of the call in plain C, where there are no stores and no comparison.
  const int instruction = InlineConstants::getInstrCost(), penalty = 25;
  const int stores = instruction * int(CB.arg_size() - CB.getFunctionType()->getNumParams() + 1);
  auto setInlineCost = [&](CallInst &call, int cost) {
    call.addFnAttr(Attribute::get(M.getContext(), "call-inline-cost", std::to_string(cost)));
  };
  if (kind == CallKind::Variadic) {
    CallInst *call = callVersion(versions[plain], &CB);
    setInlineCost(*call, penalty + instruction * int(CB.arg_size() + 1) - stores);
    CB.replaceAllUsesWith(call);
    CB.eraseFromParent();
    return {call};
  }
  Function *version = externalVersion(*plain, type, /*isVariadic=*/true);
  version->setLinkage(GlobalValue::ExternalWeakLinkage); // otherwise the comparison with null would be folded
  version->setDSOLocal(false);
  Instruction *known, *otherwise;
  SplitBlockAndInsertIfThenElse(IRBuilder<>(&CB).CreateIsNotNull(version), CB.getIterator(), &known, &otherwise);
  BasicBlock *join = CB.getParent();
  CallInst *interruptible = callVersion(version, known);
  setInlineCost(*interruptible, -stores - 2 * instruction);
  CB.moveBefore(*otherwise->getParent(), otherwise->getIterator());
  if (!O.stress && O.yields != Yields::None)
    yieldBefore(&CB, false);
  if (!CB.getType()->isVoidTy()) {
    PHINode *result = PHINode::Create(CB.getType(), 2, "", join->begin());
    CB.replaceAllUsesWith(result);
    result->addIncoming(interruptible, known->getParent());
    result->addIncoming(&CB, otherwise->getParent());
  }
  return {interruptible, &CB};
}

// Plain code runs the body of an `async` statement as if the word were not there; so does a call that cannot suspend.
void Duplicator::keepAsyncWhereItSuspends() {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *call = dyn_cast<CallInst>(&I); call && isAsync(*call) && !isSuspendingCall(*call))
        makeOrdinary(*call);
}

// A function that calls __builtin_setjmp, or setjmp through a pointer, stays plain (suspension.cpp), and must not get
// into an interruptible one by inlining. For other calls of setjmp the inliner knows this itself.
static void keepSetjmpOut(Module &M) {
  const bool throughPointer = addressOfSetjmpIsTaken(M);
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasFnAttribute(Attribute::AlwaysInline) &&
        ((throughPointer && callsThroughPointer(F)) || any_of(instructions(F), [](const Instruction &I) {
           auto *II = dyn_cast<IntrinsicInst>(&I);
           return II && II->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp;
         })))
      F.addFnAttr(Attribute::NoInline);
}

// The same holds for functions with values that cannot be saved, for those that move the stack, for those whose
// assembly defines a name, which would be there twice if plain code got it as well, and for std::call_once. If such a
// function is always inlined, its callers stay plain.
static void keepOut(const DenseSet<const Function *> &functions) {
  for (const Function *F : functions)
    if (!F->hasFnAttribute(Attribute::AlwaysInline))
      const_cast<Function *>(F)->addFnAttr(Attribute::NoInline);
}

// What is inlined into a function with an anchor must bring no landing pads, which `split` does not know there. Who
// asks for the opposite at a call, or for all calls of the function ('flatten'), asks in vain.
static void keepHandlersOut(Function &anchored) {
  for (Instruction &I : instructions(anchored))
    if (auto *call = dyn_cast<CallInst>(&I); call && !isa<IntrinsicInst>(call)) {
      call->removeFnAttr(Attribute::AlwaysInline);
      call->setIsNoInline();
    }
}

void Duplicator::run() {
  keepSetjmpOut(M);
  keepOut(functionsWithUnsavableValues(M));
  keepOut(functionsThatMoveTheStack(M));
  keepOut(functionsThatDefineNames(M));
  keepOut(functionsThatHandOver(M));
  const ReplacedNames replacedNames = readReplacedNames(M);
  for (Function *F : suspension.versions())
    versions[F] = cloneVersion(*F, replacedNames);
  // The markers of atomic regions are still there, because the following steps need them; `atomic` removes them.
  for (auto &[plain, version] : versions)
    rewriteCalls(*version);
  for (auto &[plain, version] : versions)
    if (plain->callsFunctionThatReturnsTwice()) {
      addAnchor(abi, *version);
      if (abi.exceptions)
        keepHandlersOut(*version);
    }
  for (auto &[plain, version] : versions)
    if (suspension.isBounded(*plain) && !O.stress)
      version->addFnAttr(BoundedAttr);
    else
      insertYields(*version);
  keepAsyncWhereItSuspends();
  lowerExplicitYields(M);
  addVersionsOfAliases(M, versions);
  addVersionsForPointers(M, versions, [&](const Function &F) { return suspension.isBoundedLibraryFunction(F); });
  addVersionsInPlaceOfReplacements(M, versions);
  bindActivities(M, versions);
  renameMain(abi, versions);
}

PreservedAnalyses DuplicatePass::run(Module &M, ModuleAnalysisManager &) {
  Duplicator(M).run();
  return PreservedAnalyses::none();
}

} // namespace charcoal
