// Pass `split`: interruptible versions become able to suspend.
//
//   takes   functions with the attribute "charcoal-version-of", which were optimised as ordinary code, with their
//           suspending calls and yields (suspension_markers.h)
//   leaves  functions that return {status, T}; one body each, entered at the top or through its dispatch; frame
//           descriptions for the runtime; no mark
//
//     define i32 @f.int(i32 %x) {          define {i32, i32} @f.int(i32 %x) {
//       call void @charcoal.yield()          %image = alloca [4 x i8]
//       %a = call i32 @g.int(i32 %x) #s      br (ch_tls.attention != 0), %cold, %body
//       %b = add i32 %a, %x                cold:     br ch_tls.entering, %dispatch, %yield
//       ret i32 %b                         dispatch: {point, v'} = call @ch_restore(%image); br %after
//     }                                    yield:    musttail the entry thunk
//                                          body:     store %x, %image; {s, v} = call @g.int(%x); br s, %suspend, %after
//                                          after:    a = phi(v, v'); x' = load %image; ret {0, add a, x'}
//                                          suspend:  ret {call @ch_suspend(@f.info, %image, why), poison}
//                                          }
//
// The control-flow graph has every edge by which an activation can be entered again, so later passes are correct
// without knowing of suspension.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-split
#include "split.h"
#include "splitter.h"
#include "anchor.h"
#include "async.h"
#include "bfloat.h"
#include "cold.h"
#include "suspension_markers.h"
#include "options.h"
#include "places.h"
#include "question.h"
#include "scalable.h"
#include "tailcalls.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace charcoal {

Instruction *Splitter::afterAllocas(BasicBlock &BB) const {
  BasicBlock::iterator at = BB.getFirstNonPHIIt();
  while (isa<AllocaInst>(*at))
    ++at;
  return &*at;
}

// A yield before anything has happened needs no frame of this function: the entry thunk saves the arguments. The check
// stands at the entry whether or not the marker is still there, but not in a function that always returns soon.
void Splitter::takeEntryYield() {
  yieldsAtEntry = options().yields != Yields::None && !options().stress && !F.hasFnAttribute(BoundedAttr);
  for (Instruction &I : F.getEntryBlock()) {
    if (isYield(I)) {
      I.eraseFromParent();
      yieldsAtEntry = true;
      return;
    }
    if (isa<AllocaInst>(I) || I.isLifetimeStartOrEnd())
      continue;
    if (I.isTerminator() || I.mayHaveSideEffects() || I.mayReadFromMemory())
      return;
  }
}

// ---- calls ----

CallInst *Splitter::newCall(CallInst *old) {
  Signature S = Signature::of(*old);
  Value *callee = old->getCalledOperand();
  if (auto *version = dyn_cast<Function>(callee); version && version->hasFnAttribute(ExternalVersionAttr)) {
    StringRef plainName = version->getFnAttribute(ExternalVersionAttr).getValueAsString();
    auto *plain = cast<Function>(M.getOrInsertFunction(plainName, S.plainType()).getCallee()->stripPointerCasts());
    callee = glue.external(S, plain, version);
  }
  IRBuilder<> B(old);
  SmallVector<Value *> arguments(old->args());
  CallInst *call = B.CreateCall(S.versionType(abi), callee, arguments);
  call->setAttributes(S.versionAttributes(abi.C));
  if (old->doesNotThrow())
    call->setDoesNotThrow();
  call->setDebugLoc(old->getDebugLoc());
  return call;
}

// The callee's frame will be linked to the frame of our caller, so what this activation owns is given back before the
// call (endOfActivation).
void Splitter::rewriteTailCalls() {
  for (CallInst *old : findTailCalls(F)) {
    auto *R = cast<ReturnInst>(old->getParent()->getTerminator());
    CallInst *call = newCall(old);
    const bool forced = old->isMustTailCall() && call->getFunctionType() == F.getFunctionType();
    call->setTailCallKind(forced ? CallInst::TCK_MustTail : CallInst::TCK_Tail);
    IRBuilder<> B(R);
    if (call->getType() == F.getReturnType())
      B.CreateRet(call);
    else
      B.CreateRet(abi.makeResult(B, result, abi.status(B, call), nullptr));
    R->eraseFromParent();
    if (!old->use_empty())
      old->replaceAllUsesWith(PoisonValue::get(old->getType()));
    old->eraseFromParent();
    tailCalls.insert(call);
  }
}

void Splitter::collectPoints() {
  SmallVector<CallInst *> others;
  for (Instruction &I : instructions(F))
    if (isSuspendingCall(I) || isYield(I) || isPause(I))
      (isAsync(cast<CallInst>(I)) ? calls : others).push_back(cast<CallInst>(&I));
  asyncs = calls.size();
  if (asyncs > UINT16_MAX) // the field in struct ch_frame_info has 16 bits
    error(F, "more than 65535 'async' statements in one function; divide it");
  calls.append(others);
}

Function *Splitter::run() {
  body = &F.getEntryBlock();
  dropInlinedAnchors();
  // Static locals move to the top, because the entry block is going to be split.
  for (Instruction &I : make_early_inc_range(*body))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      A->moveBefore(*body, body->getFirstNonPHIIt());
  takeEntryYield();
  copyByvalArguments(); // this comes before rewriteTailCalls, which looks for calls that get the addresses of locals
  if (F.hasFnAttribute(AnchoredAttr))
    return anchor();
  rewriteTailCalls();
  lowerExceptions();
  collectPoints();
  if (!calls.empty()) {
    copySwiftErrors(F);
    makePoints();
    moveScalableToBlocks(F, points);
    lowerDynamicLocals();
    repeatAddresses(CrossingValues(F, points));
    placeLocals();
    repeatCheap();
    keep();
    if (keptFrame) // not before: what is returned, or handed to a tail call, may be loaded from the frame just there
      for (Instruction *end : endsOfActivation())
        giveFrame(end, keptFrame);
    layOutImage();
    makeInfos();
  }
  rewriteReturns();
  addEntry();
  if (!points.empty()) {
    BasicBlock &suspend = addSuspendTail();
    labelPoints(F, points, image, restore, suspend);
    passResultsThroughMemory();
    if (keptFrame)
      provideKeptFrame();
  }
  for (Point &P : points)
    if (isYieldOrPause(*P.at) || givesWay(*P.at))
      P.at->eraseFromParent();
  for (auto [P, status, restored] : zip(points, statuses, restoredBlocks))
    if (throwsAt(P))
      connectThrown(P, status, restored);
  if (framed)
    divideKept();
  removeUnreachableBlocks(F);
  return &F;
}

// Erases interruptible versions that were inlined everywhere, and then the functions that only these called.
static void dropUnused(std::vector<Function *> &versions) {
  auto isUnused = [](const Function *F) { return F->hasLocalLinkage() && F->use_empty(); };
  SmallVector<Function *> work;
  copy_if(versions, std::back_inserter(work), isUnused);
  SmallPtrSet<Function *, 16> dropped;
  while (!work.empty()) {
    Function *F = work.pop_back_val();
    dropped.insert(F);
    SetVector<Function *> called;
    for (Instruction &I : instructions(*F))
      for (Value *operand : I.operands())
        if (auto *callee = dyn_cast<Function>(operand); callee && isInterruptible(*callee))
          called.insert(callee);
    F->deleteBody();
    copy_if(called, std::back_inserter(work), isUnused);
  }
  erase_if(versions, [&](Function *F) { return dropped.contains(F); });
  for (Function *F : dropped)
    F->eraseFromParent();
}

// Gives the function its new type. The old one remains as an empty declaration without uses, and is erased.
static Function *retype(Abi &abi, Function &old, Signature &S) {
  auto *F = Function::Create(S.versionType(abi), old.getLinkage(), old.getAddressSpace(), "", old.getParent());
  F->copyAttributesFrom(&old);
  F->setComdat(old.getComdat());
  F->setCallingConv(CallingConv::C);
  AttrBuilder kept(abi.C, old.getAttributes().getFnAttrs());
  for (Attribute::AttrKind kind :
       {Attribute::NoReturn, Attribute::WillReturn, Attribute::Memory, Attribute::NoSync, Attribute::NoFree,
        Attribute::NoRecurse, Attribute::NoCallback, Attribute::MustProgress, Attribute::Speculatable})
    kept.removeAttribute(kind);
  F->setAttributes(S.versionAttributes(abi.C).addFnAttributes(abi.C, kept));
  F->copyMetadata(&old, 0);
  old.setSubprogram(nullptr);
  F->splice(F->begin(), &old);
  for (unsigned i = 0; i < old.arg_size(); ++i) {
    old.getArg(i)->replaceAllUsesWith(F->getArg(i));
    F->getArg(i)->takeName(old.getArg(i));
  }
  F->takeName(&old);
  old.replaceAllUsesWith(F);
  old.eraseFromParent();
  S.user = F;
  return F;
}

// Whether no other module's function of this name can come first, so that all of the program may call this version.
// Nobody calls `main` of another module, and tools that put a program into another one rename it.
static bool bindsDirectly(const Function &F) {
  if (F.getFnAttribute(VersionAttr).getValueAsString() == "main")
    return false;
  return F.hasExternalLinkage() && F.isDSOLocal() && !F.isInterposable() && !F.hasFnAttribute(NamedAttr) &&
         !options().asksForVersions;
}

// Moves the plain versions to the end of the module, behind the interruptible ones. So they do not lie among the
// functions that interruptible code calls: those that have only a plain version, and the interruptible versions.
static void gatherPlainVersions(Module &M, ArrayRef<Function *> versions) {
  for (Function *F : versions)
    if (Function *plain = M.getFunction(F->getFnAttribute(VersionAttr).getValueAsString())) {
      plain->removeFromParent();
      M.getFunctionList().push_back(plain);
    }
}

// The questions that `strips` has put into loops become looks at the word that each check looks at.
static void lowerQuestions(Abi &abi) {
  Function *asked = abi.M.getFunction(AskedName);
  if (!asked)
    return;
  for (User *U : make_early_inc_range(asked->users())) {
    auto *question = cast<CallInst>(U);
    IRBuilder<> B(question);
    question->replaceAllUsesWith(B.CreateIsNotNull(abi.loadAttention(B)));
    question->eraseFromParent();
  }
}

// CH_KEEPS_REGISTERS. A linker's stub that binds the name at the first call would not keep all of them.
static void keepRegisters(Module &M) {
  if (Triple(M.getTargetTriple()).getArch() != Triple::x86_64)
    return;
  for (StringRef name : {"ch_version_of", "ch_frame_new", "ch_frame_free"}) {
    Function *F = M.getFunction(name);
    if (!F)
      continue;
    F->setCallingConv(CallingConv::PreserveMost);
    F->addFnAttr(Attribute::NonLazyBind);
    for (User *U : F->users())
      if (auto *CB = dyn_cast<CallBase>(U); CB && CB->getCalledOperand() == F)
        CB->setCallingConv(CallingConv::PreserveMost);
  }
}

} // namespace charcoal

PreservedAnalyses charcoal::SplitPass::run(Module &M, ModuleAnalysisManager &) {
  Abi abi(M);
  Glue glue(abi);
  std::vector<Function *> versions;
  for (Function &F : M) {
    if (isInterruptible(F))
      versions.push_back(&F);
    if (F.hasFnAttribute(ExternalVersionAttr)) {
      F.setLinkage(GlobalValue::ExternalWeakLinkage);
      F.setDSOLocal(false);
    }
  }
  dropUnused(versions);
  lowerQuestions(abi);
  gatherPlainVersions(M, versions);
  std::vector<std::pair<Function *, Signature>> todo;
  for (Function *F : versions) {
    Signature S = Signature::of(*F);
    Function *retyped = retype(abi, *F, S);
    todo.push_back({retyped, S});
  }
  for (auto &[F, signature] : todo) {
    std::string name = F->getFnAttribute(VersionAttr).getValueAsString().str();
    F = Splitter(abi, glue, *F, signature, name).run();
  }
  for (auto &[F, signature] : todo) {
    if (bindsDirectly(*F))
      glue.bindDirectly(signature, F);
    if (F->isInterposable())
      if (GlobalValue *plain = M.getNamedValue(F->getFnAttribute(VersionAttr).getValueAsString()))
        glue.guardWeak(signature, plain, F);
    F->removeFnAttr(VersionAttr);
    F->removeFnAttr(BoundedAttr);
    if (!F->hasOptNone() && !F->hasOptSize())
      F->addFnAttr(ColdPartAttr);
    if (F->hasFnAttribute(NamedAttr)) {
      F->setLinkage(GlobalValue::WeakAnyLinkage);
      F->setDSOLocal(false);
      F->removeFnAttr(NamedAttr);
    }
  }
  if (Function *lookup = M.getFunction(VersionOfName))
    lookup->replaceAllUsesWith(abi.versionOf().getCallee());
  keepRegisters(M);
  if (!todo.empty())
    provideBfloatTruncation(M);
  // The markers, and the declarations of interruptible versions in other modules, are not needed any more.
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() &&
        (F.getName().starts_with("charcoal.") || F.hasFnAttribute(ExternalVersionAttr)))
      F.eraseFromParent();
  for (Function &F : M)
    F.removeFnAttr(ExternalVersionAttr);
  return PreservedAnalyses::none();
}
