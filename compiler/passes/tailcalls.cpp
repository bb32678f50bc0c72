// Finds calls such as `return g(x)` that are the last thing which a function does. The callee's frame is then linked to
// the frame of our caller, and we need none. So a chain of such calls takes no more memory than one call, suspended or
// not.
//
// This is wrong while somebody may still use one of our locals. It is decided for each call by itself, because often
// one path lends a local, and another path, or the code after the local's block, does not:
//
//   lent-out(B) = last of { the address is captured: true, the lifetime begins or ends: false } in B,
//                 else lent-in(B) = OR lent-out(predecessors)
//
// If the user wrote `musttail`, no local is in use. What is not to be a tail call by -fno-optimize-sibling-calls or
// __attribute__((not_tail_called)) is none here either, so that the caller stands in each list of callers.
#include "tailcalls.h"
#include "addresses.h"
#include "async.h"
#include "suspension_markers.h"
#include "promises.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace charcoal {

static bool passesByValue(const CallBase &CB) {
  for (unsigned i = 0; i < CB.arg_size(); ++i)
    if (CB.isByValArgument(i))
      return true;
  return false;
}

// True if nothing but a return, of V or without a value, comes after BB. The optimiser joins returns into one, so there
// may be a few blocks in between in which several ways meet.
static bool returns(const Value *V, const BasicBlock *BB) {
  for (unsigned steps = 0; steps < 8; ++steps) {
    if (auto *R = dyn_cast_if_present<ReturnInst>(BB->getTerminator()))
      return !R->getReturnValue() || R->getReturnValue() == V;
    const BasicBlock *next = BB->getSingleSuccessor();
    if (!next || !isa<BranchInst>(BB->getTerminator()))
      return false;
    for (const PHINode &phi : next->phis())
      if (phi.getIncomingValueForBlock(BB) == V)
        V = &phi;
    for (const Instruction &I : *next)
      if (!isa<PHINode>(I) && !I.isLifetimeStartOrEnd() && !I.isTerminator())
        return false;
    BB = next;
  }
  return false;
}

// The call after which BB and the function end, returning its result or nothing; null if there is no such call.
static CallInst *lastCall(BasicBlock &BB) {
  for (Instruction *I = BB.getTerminator()->getPrevNode(); I; I = I->getPrevNode()) {
    if (I->isLifetimeStartOrEnd() || isa<AssumeInst>(I))
      continue;
    auto *call = dyn_cast<CallInst>(I);
    return call && returns(call, &BB) ? call : nullptr;
  }
  return nullptr;
}

// Makes the block of a call return right after the call.
static void returnAtOnce(CallInst *call) {
  BasicBlock *BB = call->getParent();
  auto *branch = dyn_cast<BranchInst>(BB->getTerminator());
  if (!branch)
    return;
  branch->getSuccessor(0)->removePredecessor(BB);
  ReturnInst *R = ReturnInst::Create(BB->getContext(), BB->getParent()->getReturnType()->isVoidTy() ? nullptr : call);
  R->setDebugLoc(branch->getDebugLoc());
  ReplaceInstWithInst(branch, R);
}

namespace {

// Removes from a set of calls those during which a local may be in use.
class Lenders {
public:
  Lenders(Function &F, DenseMap<BasicBlock *, CallInst *> &calls) : F(F), calls(calls), steps(64 * F.size() + 4096) {}
  void takeAway() {
    for (Instruction &I : instructions(F)) {
      if (calls.empty())
        return;
      if (auto *A = dyn_cast<AllocaInst>(&I))
        consider(*A);
    }
  }

private:
  enum Kind { Captured, Over };
  using Events = DenseMap<BasicBlock *, SmallVector<std::pair<Instruction *, Kind>>>;

  void consider(AllocaInst &A) {
    AddressUses uses(A);
    for (Instruction *I : uses.accesses)
      if (auto found = calls.find(I->getParent()); found != calls.end() && found->second == I)
        calls.erase(found);
    if (uses.captures.empty())
      return;
    Events events;
    for (Instruction *I : uses.captures)
      events[I->getParent()].push_back({I, Captured});
    for (Instruction *I : uses.starts)
      events[I->getParent()].push_back({I, Over});
    for (Instruction *I : uses.ends)
      events[I->getParent()].push_back({I, Over});
    if (!A.isStaticAlloca())
      addReleases(A, events);
    SmallVector<BasicBlock *> work;
    DenseSet<BasicBlock *> lentIn;
    for (auto &[BB, list] : events) {
      sort(list, [](auto &a, auto &b) { return a.first != b.first && a.first->comesBefore(b.first); });
      if (list.back().second == Captured)
        work.push_back(BB);
    }
    while (!work.empty())
      for (BasicBlock *next : successors(work.pop_back_val())) {
        if (!lentIn.insert(next).second)
          continue;
        if (--steps == 0) { // so that the time is linear in the size of the function
          calls.clear();
          return;
        }
        if (!events.count(next))
          work.push_back(next);
      }
    for (auto &[BB, list] : events)
      if (lentAtCall(BB, list, lentIn.contains(BB)))
        calls.erase(BB);
    for (BasicBlock *BB : lentIn)
      if (!events.count(BB))
        calls.erase(BB);
  }

  bool lentAtCall(BasicBlock *BB, ArrayRef<std::pair<Instruction *, Kind>> list, bool lent) {
    CallInst *call = calls.lookup(BB);
    for (auto &[I, kind] : list)
      if (call && I->comesBefore(call))
        lent = kind == Captured;
    return lent;
  }

  // A variable-length local ends where the stack pointer gets a value that was saved before it.
  void addReleases(AllocaInst &A, Events &events) {
    if (!tree)
      tree = std::make_unique<DominatorTree>(F);
    for (Instruction &I : instructions(F))
      if (auto *II = dyn_cast<IntrinsicInst>(&I); II && II->getIntrinsicID() == Intrinsic::stackrestore)
        if (auto *save = dyn_cast<IntrinsicInst>(II->getArgOperand(0)); save && tree->dominates(save, &A))
          events[II->getParent()].push_back({II, Over});
  }

  Function &F;
  DenseMap<BasicBlock *, CallInst *> &calls; // the candidate of each block
  uint64_t steps;
  std::unique_ptr<DominatorTree> tree;
};

} // namespace

SmallVector<CallInst *> findTailCalls(Function &F) {
  EliminateUnreachableBlocks(F);
  const bool keepsCallers = F.getFnAttribute("disable-tail-calls").getValueAsBool();
  SmallVector<CallInst *> found;
  DenseMap<BasicBlock *, CallInst *> asked;
  for (BasicBlock &BB : F) {
    CallInst *call = lastCall(BB);
    if (!call)
      continue;
    const bool forced = call->isMustTailCall(), refused = keepsCallers || call->isNoTailCall();
    // A by-value argument lies in the caller's memory until the callee has copied it. The callee may give way before.
    if (!isSuspendingCall(*call) || isAsync(*call) || passesByValue(*call))
      call->setTailCallKind(CallInst::TCK_None);
    else if (forced)
      found.push_back(call);
    else if (!refused && !F.hasFnAttribute(Attribute::OptimizeNone) && !F.hasFnAttribute(NeverWaitsAttr))
      asked[&BB] = call;
  }
  if (!asked.empty())
    Lenders(F, asked).takeAway();
  for (BasicBlock &BB : F)
    if (CallInst *call = asked.lookup(&BB)) {
      returnAtOnce(call);
      found.push_back(call);
    }
  EliminateUnreachableBlocks(F);
  return found;
}

} // namespace charcoal
