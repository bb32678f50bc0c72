// Pass `atomicity`: where one activity hands over to another, and where memory begins a new life.
#include "addresses.h"
#include "async.h"
#include "atomicity_instrumenter.h"
#include "suspension_markers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace charcoal {

static StringRef calleeName(const CallInst &CB) {
  auto *callee = dyn_cast<Function>(CB.getCalledOperand());
  if (!callee || !callee->isDeclaration())
    return "";
  StringRef name = callee->getName();
  if (name.consume_back(VersionSuffix))
    name.consume_back(VariadicInfix);
  return name;
}

static bool isOneOf(StringRef name, std::initializer_list<StringRef> names) { return is_contained(names, name); }

// Whether the called function has ended when the call returns, so that its result is there. A tail call does not return
// here, and an `async` call may return earlier, without a result.
static bool endsHere(const CallInst &CB) { return !CB.isMustTailCall() && !isAsync(CB); }

// Reports hand-overs. The result of a wait says whether it was one.
void Instrumenter::order(CallInst &CB) {
  StringRef name = calleeName(CB);
  if (CB.arg_empty() || !CB.getArgOperand(0)->getType()->isPointerTy())
    return;
  Value *object = CB.getArgOperand(0);
  bool posts = isOneOf(name, {"ch_sem_post", "sem_post", "pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal",
                              "cnd_broadcast", "pthread_barrier_wait"});
  bool takes = isOneOf(name, {"ch_sem_wait", "ch_sem_timedwait", "ch_sem_trywait", "sem_wait", "sem_timedwait",
                              "sem_clockwait", "sem_trywait"});
  bool waits = isOneOf(name, {"ch_activity_wait", "ch_scope_leave", "pthread_barrier_wait", "pthread_cond_wait",
                              "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait"});
  if (posts)
    callBefore(CB, "ch_atomicity_post", {object});
  if ((takes || waits) && endsHere(CB)) {
    CB.setTailCall(false);
    bool says = takes && CB.getType() == abi.I32;
    Value *failed = says ? static_cast<Value *>(&CB) : ConstantInt::get(abi.I32, 0);
    callAfter(CB, takes ? "ch_atomicity_take" : "ch_atomicity_wait", {object, failed});
  }
}

// Reports memory that is given back, and memory that is taken: code without reports may have given that memory back
// before.
void Instrumenter::memory(CallInst &CB) {
  StringRef name = calleeName(CB);
  bool gives = isOneOf(name, {"free", "realloc", "reallocarray"});
  bool takes =
      isOneOf(name, {"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "strdup", "strndup"});
  if (gives && CB.arg_size() > 0 && CB.getArgOperand(0)->getType()->isPointerTy())
    callBefore(CB, "ch_atomicity_forget_block", {CB.getArgOperand(0)});
  if (takes && CB.getType()->isPointerTy() && endsHere(CB)) {
    CB.setTailCall(false);
    callAfter(CB, "ch_atomicity_forget_block", {&CB});
  }
}

// It is not known which function a call through a pointer calls. So the address of malloc, free and the like is
// replaced by that of a function that also reports the call.
void Instrumenter::memoryThroughPointers() {
  for (StringRef name : {"malloc", "calloc", "realloc", "free"}) {
    Function *plain = M.getFunction(name);
    if (!plain || !plain->isDeclaration())
      continue;
    auto isAddress = [](Use &U) {
      auto *call = dyn_cast<CallBase>(U.getUser());
      return !call || !call->isCallee(&U);
    };
    if (none_of(plain->uses(), isAddress))
      continue;
    FunctionCallee telling = M.getOrInsertFunction(("ch_atomicity_" + name).str(), plain->getFunctionType());
    plain->replaceUsesWithIf(telling.getCallee(), isAddress);
    changed = true;
  }
}

// Whether a function gets the local's address. It reports what it does there also if it keeps no address, because it
// does not know that nobody else has the local.
static bool isHandedOver(AllocaInst &A) {
  return any_of(AddressUses(A).accesses, [](Instruction *I) { return isRealCall(*I); });
}

// Reports that a local's memory begins a new life, because it may have held something else before.
void Instrumenter::locals(Function &F) {
  SmallVector<AllocaInst *> all;
  for (Instruction &I : instructions(F))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && (isShared(A) || isHandedOver(*A)))
      all.push_back(A);
  const DataLayout &DL = M.getDataLayout();
  for (AllocaInst *A : all) {
    if (!A->isStaticAlloca()) {
      IRBuilder<> B(A->getNextNode());
      Constant *each = ConstantInt::get(abi.Size, DL.getTypeAllocSize(A->getAllocatedType()).getFixedValue());
      Value *bytes = B.CreateMul(B.CreateZExtOrTrunc(A->getArraySize(), abi.Size), each);
      B.CreateCall(hook("ch_atomicity_forget", {A, bytes}), {A, bytes})->setDebugLoc(placeOf(*A));
      changed = true;
      continue;
    }
    Constant *bytes = ConstantInt::get(abi.Size, A->getAllocationSize(DL)->getFixedValue());
    bool marked = false;
    for (User *U : A->users())
      if (auto *II = dyn_cast<IntrinsicInst>(U); II && II->getIntrinsicID() == Intrinsic::lifetime_start) {
        callAfter(*II, "ch_atomicity_forget", {A, bytes});
        marked = true;
      }
    if (marked)
      continue;
    Instruction &first = *F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    if (A->comesBefore(&first))
      callBefore(first, "ch_atomicity_forget", {A, bytes});
    else // at -O0 the locals of an inlined body stand behind other code
      callAfter(*A, "ch_atomicity_forget", {A, bytes});
  }
}

} // namespace charcoal
