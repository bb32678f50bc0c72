// Finds the calls behind which a function only returns. See remainder.h.
#include "remainder.h"
#include "suspension_markers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace charcoal {

// Whether the address may be one that the function has got from elsewhere.
static bool isGiven(const Value *address) { return !isa<AllocaInst, GlobalVariable>(getUnderlyingObject(address)); }

// Whether the instruction may use memory whose address the function has got, or runs other code.
static bool usesMore(const Instruction &I) {
  if (auto *access = dyn_cast<LoadInst>(&I))
    return isGiven(access->getPointerOperand());
  if (auto *access = dyn_cast<StoreInst>(&I))
    return isGiven(access->getPointerOperand());
  if (I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() || isYield(I) || isPause(I))
    return false;
  if (auto *CB = dyn_cast<CallBase>(&I); CB && CB->getCalledFunction())
    if (CB->getCalledFunction()->getName() == "ch_captures_local_ends")
      return false;
  return I.mayReadOrWriteMemory() || I.mayThrow();
}

SmallBitVector lastUses(Function &F, ArrayRef<CallInst *> calls) {
  SmallPtrSet<const BasicBlock *, 32> busy; // something is used in the block, or in one that is reached from it
  SmallVector<const BasicBlock *> work;
  for (const BasicBlock &BB : F)
    if (any_of(BB, usesMore) && busy.insert(&BB).second)
      work.push_back(&BB);
  while (!work.empty())
    for (const BasicBlock *P : predecessors(work.pop_back_val()))
      if (busy.insert(P).second)
        work.push_back(P);

  SmallPtrSet<const Instruction *, 16> last;
  for (const BasicBlock &BB : F) {
    if (any_of(successors(&BB), [&](const BasicBlock *S) { return busy.contains(S); }))
      continue;
    for (const Instruction &I : reverse(BB)) {
      if (isa<CallInst>(I))
        last.insert(&I);
      if (usesMore(I))
        break;
    }
  }
  SmallBitVector result(calls.size());
  for (auto [k, call] : enumerate(calls))
    result[k] = last.contains(call);
  return result;
}

} // namespace charcoal
