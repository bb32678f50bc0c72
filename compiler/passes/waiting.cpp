// See waiting.h. The code has not been optimized yet: locals are in memory, and a value that an atomic operation gives
// passes through one. In modules that were optimized before, locals are PHI nodes.
#include "waiting.h"
#include "marks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace charcoal {

namespace {

using Blocks = DenseSet<const BasicBlock *>;

// Done again without a change from elsewhere, it has no further effect.
bool isIdempotent(const Instruction &I) {
  if (isa<AtomicCmpXchgInst>(I))
    return true;
  auto *update = dyn_cast<AtomicRMWInst>(&I);
  return update && (update->getOperation() == AtomicRMWInst::Xchg || update->getOperation() == AtomicRMWInst::Or ||
                    update->getOperation() == AtomicRMWInst::And);
}

// What counts how often code runs is no effect of the program: the intrinsics, or the counters that they have become.
bool countsRuns(const Instruction &I) {
  if (isa<InstrProfInstBase>(I))
    return true;
  auto *store = dyn_cast<StoreInst>(&I);
  auto *counter = store ? dyn_cast<GlobalVariable>(store->getPointerOperand()->stripInBoundsOffsets()) : nullptr;
  return counter && any_of(ArrayRef<StringRef>{"__profc_", "__profbm_", "__llvm_gcov_ctr"},
                           [&](StringRef prefix) { return counter->getName().starts_with(prefix); });
}

const AllocaInst *local(const Value *pointer) {
  auto *variable = dyn_cast<AllocaInst>(pointer->stripInBoundsOffsets());
  return variable && !PointerMayBeCaptured(variable, /*ReturnCaptures=*/true) ? variable : nullptr;
}

// The locals on whose contents the value depends, by way of instructions of the cycle.
void findSources(const Value *value, const Blocks &cycle, DenseSet<const Value *> &seen,
                 SmallVectorImpl<const AllocaInst *> &sources) {
  auto *I = dyn_cast<Instruction>(value);
  if (I && isLookAtShared(*I))
    return; // what it gives is up to the memory
  if (!I || !cycle.contains(I->getParent()) || !seen.insert(I).second)
    return;
  if (auto *load = dyn_cast<LoadInst>(I))
    if (auto *variable = dyn_cast<AllocaInst>(load->getPointerOperand()->stripInBoundsOffsets()))
      sources.push_back(variable);
  for (const Value *operand : I->operands())
    findSources(operand, cycle, seen, sources);
}

} // namespace

bool onlyWaits(ArrayRef<const BasicBlock *> blocks) {
  const Blocks cycle(blocks.begin(), blocks.end());
  bool looks = false;
  DenseMap<const AllocaInst *, SmallVector<const AllocaInst *, 2>> flows; // variable -> what is stored into it
  for (const BasicBlock *BB : blocks)
    for (const Instruction &I : *BB) {
      if (countsRuns(I))
        continue;
      looks |= isLookAtShared(I);
      if (auto *phi = dyn_cast<PHINode>(&I)) {
        // Of a loop, not of a condition: something comes from outside the cycle, or from the node itself.
        for (const BasicBlock *from : phi->blocks())
          if (!cycle.contains(from))
            return false;
      } else if (auto *store = dyn_cast<StoreInst>(&I)) {
        const AllocaInst *variable = local(store->getPointerOperand());
        if (!variable || store->isVolatile())
          return false;
        DenseSet<const Value *> seen;
        findSources(store->getValueOperand(), cycle, seen, flows[variable]);
      } else if (auto *call = dyn_cast<CallBase>(&I); call && call->isInlineAsm()) {
        if (!call->getType()->isVoidTy())
          return false; // else it is the processor's word for waiting, most likely
      } else if (I.mayWriteToMemory() && !isa<LoadInst>(I) && !isIdempotent(I) && !I.isLifetimeStartOrEnd() &&
                 !isYield(I) && !isPause(I) && !isa<FenceInst>(I) && !isa<DbgInfoIntrinsic>(I) &&
                 !(isa<IntrinsicInst>(I) && I.getType()->isVoidTy() && cast<IntrinsicInst>(I).arg_empty()))
        return false;
    }
  if (!looks)
    return false;
  // A variable that is computed from what it was.
  for (const auto &[start, sources] : flows) {
    DenseSet<const AllocaInst *> reached;
    SmallVector<const AllocaInst *> work(sources.begin(), sources.end());
    while (!work.empty()) {
      const AllocaInst *variable = work.pop_back_val();
      if (variable == start)
        return false;
      if (auto found = flows.find(variable); found != flows.end() && reached.insert(variable).second)
        work.append(found->second.begin(), found->second.end());
    }
  }
  return true;
}

} // namespace charcoal
