// Pass `statics`: a variable of C++ that one thread alone makes is made once among the thread's activities, too.
//
//   takes   the module as clang made it
//   leaves  __cxa_guard_acquire, __cxa_guard_release and __cxa_guard_abort around what makes a local variable;
//           ch_thread_variables_begin and ch_thread_variables_end around what makes `thread_local` ones of namespaces
//
//     before                                    after
//       %made = load i8, ptr @guard               %made = load i8, ptr @guard
//       br (%made == 0), %make, %next             br (%made == 0), %ask, %next
//                                               ask:
//                                                 %mine = call i32 @__cxa_guard_acquire(ptr @guard)
//                                                 br (%mine != 0), %make, %next
//     make:                                     make:
//       call @f(ptr @variable)                    invoke @f(ptr @variable) unwind %pad
//       store i8 1, ptr @guard                    call @__cxa_guard_release(ptr @guard)
//                                               pad: landingpad cleanup
//                                                 call @__cxa_guard_abort(ptr @guard); resume
//
// Clang makes the calls on the right for a variable that several threads may make, but not for a `thread_local` one,
// and not with -fno-threadsafe-statics. There it sets the guard when the variable has been made, and another activity
// that came by before would make the variable again. With the calls it waits, as it does for any other local variable.
//
// The `thread_local` variables of namespaces and classes are made when one of them is used first: those of a file under
// one guard, and those that several files may define under one each. Clang sets the guard first, so that what makes
// them can use them. For the activity that makes them this stays so; another one waits.
//
//     before                                    after
//       br (%guard == 0), %make, %next            br (%guard == 0), %ask, %next
//                                               ask:
//                                                 %mine = call i32 @ch_thread_variables_begin(ptr @guard)
//                                                 br (%mine != 0), %make, %next
//     make:                                     make:
//       store i8 1, ptr @guard                    invoke @f() unwind %pad
//       call @f()                                 call @ch_thread_variables_end(ptr @guard)
//                                               pad: landingpad cleanup
//                                                 call @ch_thread_variables_end(ptr @guard); resume
//
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-statics
#include "statics.h"
#include "abi.h"
#include "options.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace charcoal {

// Where a function makes a variable.
struct Making {
  BranchInst *unlessMade;                 // its first way leads to what makes the variable
  StoreInst *made;                        // marks it as made
  SmallVector<Instruction *, 1> promises; // that the guard will not change any more
  bool startsMade() const { return made->getParent() == unlessMade->getSuccessor(0); }
};

// The guard of a local variable, by its name in the Itanium C++ ABI.
static bool isLocalGuard(const GlobalVariable &G) { return G.getName().starts_with("_ZGVZ"); }
// That of other variables of a thread.
static bool isThreadGuard(const GlobalVariable &G) {
  return G.isThreadLocal() && !isLocalGuard(G) &&
         (G.getName().starts_with("_ZGV") || (G.hasLocalLinkage() && G.getName().starts_with("__tls_guard")));
}

static BranchInst *branchUnlessMade(LoadInst *load) {
  using namespace PatternMatch;
  auto *is = load->hasOneUse() ? dyn_cast<ICmpInst>(load->user_back()) : nullptr;
  if (!is || is->getPredicate() != CmpInst::ICMP_EQ || !match(is->getOperand(1), m_Zero()) || !is->hasOneUse())
    return nullptr;
  auto *branch = dyn_cast<BranchInst>(is->user_back());
  return branch && branch->isConditional() && branch->getSuccessor(0)->getSinglePredecessor() ? branch : nullptr;
}

// The places where the variable of the guard is made: several functions if it is a local of a constructor. Empty if the
// guard is used otherwise, as by clang's own calls.
static SmallVector<Making> placesOf(GlobalVariable &guard) {
  MapVector<Function *, Making> found;
  for (User *user : guard.users()) {
    auto *I = dyn_cast<Instruction>(user);
    if (!I)
      return {};
    Making &making = found[I->getFunction()];
    auto *load = dyn_cast<LoadInst>(I);
    auto *store = dyn_cast<StoreInst>(I);
    if (load && !load->isAtomic() && !making.unlessMade && branchUnlessMade(load))
      making.unlessMade = branchUnlessMade(load);
    else if (store && store->getPointerOperand() == &guard && !store->isAtomic() && !making.made)
      making.made = store;
    else if (isa<IntrinsicInst>(I) && I->use_empty())
      making.promises.push_back(I);
    else
      return {};
  }
  SmallVector<Making> result;
  for (auto &[F, making] : found) {
    if (!making.unlessMade || !making.made)
      return {};
    result.push_back(making);
  }
  return result;
}

namespace {
// The blocks in which the variable is being made: those between the two, and those on ways that leave from there.
class Region {
public:
  Region(const Making &making, bool ofThread)
      : first(making.unlessMade->getSuccessor(0)), last(ofThread ? nullptr : making.made->getParent()),
        dominators(*first->getParent()) {
    const SmallPtrSet<BasicBlock *, 8> back = last ? blocksThatComeBack() : SmallPtrSet<BasicBlock *, 8>();
    add(first);
    for (unsigned i = 0; i < blocks.size(); ++i)
      if (blocks[i] != last)
        for (BasicBlock *next : successors(blocks[i]))
          if (dominators.dominates(first, next) && (!last || !next->isLandingPad() || back.contains(next)))
            add(next);
  }
  BasicBlock *const first, *const last; // there is no last one if all is made that the first one leads to
  ArrayRef<BasicBlock *> all() const { return blocks; }
  bool contains(const BasicBlock *BB) const { return is_contained(blocks, BB); }

private:
  const DominatorTree dominators;
  SmallVector<BasicBlock *> blocks;

  void add(BasicBlock *BB) {
    if (!contains(BB))
      blocks.push_back(BB);
  }
  // Those from which the variable can still become made. A handler among them is in the initializer itself.
  SmallPtrSet<BasicBlock *, 8> blocksThatComeBack() const {
    SmallVector<BasicBlock *> work{last};
    SmallPtrSet<BasicBlock *, 8> found(work.begin(), work.end());
    while (!work.empty())
      if (BasicBlock *BB = work.pop_back_val(); BB != first)
        for (BasicBlock *before : predecessors(BB))
          if (dominators.dominates(first, before) && found.insert(before).second)
            work.push_back(before);
    return found;
  }
};

// The ways by which control leaves a region before the variable is made.
struct WaysOut {
  SmallVector<CallInst *> calls; // that may throw, and have no landing pad
  SmallVector<Instruction *> returns, resumes;
  MapVector<BasicBlock *, SmallVector<BasicBlock *>> pads;     // with the blocks of the region before each
  SmallVector<std::pair<BasicBlock *, BasicBlock *>> branches; // out of a statement that is an expression
};
} // namespace

static WaysOut waysOutOf(const Region &region, const StoreInst *made) {
  WaysOut out;
  for (BasicBlock *BB : region.all()) {
    for (Instruction &I : *BB) {
      if (&I == made)
        break;
      if (auto *call = dyn_cast<CallInst>(&I);
          call && !call->doesNotThrow() && !isa<IntrinsicInst>(call) && !call->isInlineAsm())
        out.calls.push_back(call);
      if (auto *resume = dyn_cast<ResumeInst>(&I))
        out.resumes.push_back(resume);
      if (isa<ReturnInst>(I))
        out.returns.push_back(&I);
    }
    if (BB == region.last || isa<CallBrInst>(BB->getTerminator()) || isa<IndirectBrInst>(BB->getTerminator()))
      continue;
    for (BasicBlock *next : successors(BB))
      if (region.contains(next))
        continue;
      else if (next->isLandingPad())
        out.pads[next].push_back(BB);
      else
        out.branches.push_back({BB, next});
  }
  return out;
}

namespace {
class Guard {
public:
  Guard(Module &M, GlobalVariable &guard, bool ofThread) : M(M), guard(guard), C(M.getContext()), ofThread(ofThread) {}
  void addCalls(const Making &, bool exceptions);

private:
  Module &M;
  GlobalVariable &guard;
  LLVMContext &C;
  const bool ofThread;

  CallInst *call(StringRef name, Type *result, BasicBlock::iterator before, const DebugLoc &place) {
    IRBuilder<> B(before->getParent(), before);
    B.SetCurrentDebugLocation(place);
    CallInst *call =
        B.CreateCall(M.getOrInsertFunction(name, FunctionType::get(result, {B.getPtrTy()}, false)), {&guard});
    call->setDoesNotThrow();
    return call;
  }
  void leaveBefore(Instruction &I, const DebugLoc &place) {
    call(ofThread ? "ch_thread_variables_end" : "__cxa_guard_abort", Type::getVoidTy(C), I.getIterator(), place);
  }
  BasicBlock *leaveAndResume(Function &F, const DebugLoc &place);
};
} // namespace

BasicBlock *Guard::leaveAndResume(Function &F, const DebugLoc &place) {
  auto *pad = BasicBlock::Create(C, "unmade", &F);
  IRBuilder<> B(pad);
  B.SetCurrentDebugLocation(place);
  LandingPadInst *caught = B.CreateLandingPad(StructType::get(B.getPtrTy(), B.getInt32Ty()), 0);
  caught->setCleanup(true);
  leaveBefore(*B.CreateResume(caught), place);
  if (!F.hasPersonalityFn())
    F.setPersonalityFn(cast<Constant>(
        M.getOrInsertFunction("__gxx_personality_v0", FunctionType::get(B.getInt32Ty(), true)).getCallee()));
  return pad;
}

void Guard::addCalls(const Making &making, bool exceptions) {
  Function &F = *making.made->getFunction();
  const DebugLoc place = making.made->getDebugLoc();
  BasicBlock *from = making.unlessMade->getParent(), *next = making.unlessMade->getSuccessor(1);
  const Region region(making, ofThread);
  const WaysOut out = waysOutOf(region, ofThread ? nullptr : making.made);

  auto *ask = BasicBlock::Create(C, "ask", &F, region.first);
  IRBuilder<> B(ask);
  B.SetCurrentDebugLocation(place);
  BranchInst *end = B.CreateBr(next);
  Value *mine = call(ofThread ? "ch_thread_variables_begin" : "__cxa_guard_acquire", Type::getInt32Ty(C),
                     end->getIterator(), place);
  B.SetInsertPoint(end);
  B.CreateCondBr(B.CreateIsNotNull(mine), region.first, next);
  end->eraseFromParent();
  for (PHINode &phi : next->phis())
    phi.addIncoming(phi.getIncomingValueForBlock(from), ask);
  making.unlessMade->setSuccessor(0, ask);
  region.first->replacePhiUsesWith(from, ask);

  if (!ofThread)
    call("__cxa_guard_release", Type::getVoidTy(C), making.made->getIterator(), place);
  making.made->eraseFromParent();
  for (Instruction *promise : making.promises)
    promise->eraseFromParent();
  for (Instruction *ret : out.returns)
    leaveBefore(*ret, place);
  for (auto [BB, to] : out.branches)
    leaveBefore(*SplitEdge(BB, to)->getTerminator(), place);
  if (!exceptions)
    return;
  for (Instruction *resume : out.resumes)
    leaveBefore(*resume, place);
  for (auto &[pad, before] : out.pads) {
    SmallVector<BasicBlock *, 2> split;
    SplitLandingPadPredecessors(pad, before, ".unmade", ".others", split);
    leaveBefore(*split[0]->getTerminator(), place);
  }
  BasicBlock *pad = out.calls.empty() ? nullptr : leaveAndResume(F, place);
  for (CallInst *call : out.calls)
    changeToInvokeAndSplitBasicBlock(call, pad);
}

// The calls want a whole word; clang makes a byte of a guard that only this file sees.
static GlobalVariable *widened(GlobalVariable *guard) {
  Type *word = Type::getInt64Ty(guard->getContext());
  if (guard->getValueType() == word)
    return guard;
  auto *wide = new GlobalVariable(*guard->getParent(), word, false, guard->getLinkage(), Constant::getNullValue(word),
                                  "", guard, guard->getThreadLocalMode(), guard->getAddressSpace());
  wide->copyAttributesFrom(guard);
  wide->setComdat(guard->getComdat());
  wide->setAlignment(Align(8));
  wide->takeName(guard);
  guard->replaceAllUsesWith(wide);
  guard->eraseFromParent();
  return wide;
}

PreservedAnalyses StaticsPass::run(Module &M, ModuleAnalysisManager &) {
  const bool exceptions = mayPassExceptions(M);
  bool changed = false;
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    const bool ofThread = isThreadGuard(G);
    if (!(isLocalGuard(G) || ofThread) || G.isDeclaration())
      continue;
    const SmallVector<Making> places = placesOf(G);
    if (places.empty() || any_of(places, [&](const Making &m) { return ofThread && !m.startsMade(); }))
      continue;
    Guard guard(M, *widened(&G), ofThread);
    for (const Making &making : places)
      guard.addCalls(making, exceptions);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
