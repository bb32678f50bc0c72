// See labels.h. It follows each value that is a label's address, or that points to memory which holds one:
//
//   follow(l)            for each label address l
//   follow(x op …)       where x is followed: arithmetic, casts, phis; what is loaded through x
//   follow(local)        where something followed is stored in it
//   follow(table)        where something followed is in the initial value of a static table of this function
//
// It escapes where it is stored elsewhere, is an argument or a result, or where a table that holds it is written to.
#include "labels.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace charcoal {

static const AllocaInst *localAt(const Value *address) { return dyn_cast<AllocaInst>(getUnderlyingObject(address, 0)); }

// The sanitizers' handlers look at a value and keep nothing.
static bool onlyLooks(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && (callee->getName().starts_with("__ubsan_") || callee->getName().starts_with("__sanitizer_"));
}

bool labelsEscape(const Function &F) {
  SmallVector<const Value *> work;
  SmallPtrSet<const Value *, 32> seen;
  auto follow = [&](const Value *V) {
    if (seen.insert(V).second)
      work.push_back(V);
    return true;
  };
  auto stored = [&](const Value *address) {
    const AllocaInst *local = localAt(address);
    return local && follow(local);
  };
  auto stays = [&](const Use &U) {
    const Value *V = U.get();
    if (auto *table = dyn_cast<GlobalVariable>(U.getUser()))
      return table->getName().starts_with("llvm.") || (table->hasLocalLinkage() && follow(table));
    if (isa<GlobalValue>(U.getUser()))
      return false;
    if (isa<Constant>(U.getUser()))
      return follow(U.getUser());
    auto *I = cast<Instruction>(U.getUser());
    if (I->getFunction() != &F)
      return false;
    if (auto *store = dyn_cast<StoreInst>(I))
      return store->getValueOperand() == V ? stored(store->getPointerOperand()) : localAt(V) != nullptr;
    if (auto *copy = dyn_cast<MemTransferInst>(I))
      return copy->getRawSource() == V ? stored(copy->getRawDest()) : localAt(V) != nullptr;
    if (auto *fill = dyn_cast<MemSetInst>(I))
      return localAt(fill->getRawDest()) != nullptr;
    if (auto *call = dyn_cast<CallBase>(I))
      return onlyLooks(*call) || (isa<IntrinsicInst>(call) && (call->getType()->isVoidTy() || follow(call)));
    if (isa<ReturnInst>(I) || isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I) || isa<VAArgInst>(I))
      return false;
    return I->getType()->isVoidTy() || isa<CmpInst>(I) || follow(I);
  };
  for (const BasicBlock &BB : F)
    if (BB.hasAddressTaken())
      if (const BlockAddress *label = BlockAddress::lookup(&BB))
        follow(label);
  while (!work.empty())
    for (const Use &U : work.pop_back_val()->uses())
      if (!stays(U))
        return true;
  return false;
}

} // namespace charcoal
