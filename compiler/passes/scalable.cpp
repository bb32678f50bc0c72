// See scalable.h. Functions in whose source such values stand are not made interruptible (suspension.cpp): these here
// are the vectorizer's, or come from functions that were inlined.
#include "scalable.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace charcoal {

using Points = SmallPtrSet<const Instruction *, 16>;

// Whether a point stands on a way from the definition to the use.
static bool crossesBefore(const Instruction &V, const Use &U, const Points &points) {
  auto *user = cast<Instruction>(U.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  SmallVector<const Instruction *> work{phi ? phi->getIncomingBlock(U)->getTerminator() : user};
  SmallPtrSet<const BasicBlock *, 16> seen;
  while (!work.empty()) {
    const Instruction *I = work.pop_back_val();
    const BasicBlock *BB = I->getParent();
    for (; I && I != &V; I = I->getPrevNode())
      if (points.contains(I))
        return true;
    if (I == &V)
      continue;
    for (const BasicBlock *previous : predecessors(BB))
      if (seen.insert(previous).second)
        work.push_back(previous->getTerminator());
  }
  return false;
}

static bool crosses(const Instruction &V, const Points &points) {
  return any_of(V.uses(), [&](const Use &U) { return crossesBefore(V, U, points); });
}

// A local of variable length, as large as the type is here. It stands behind the static ones.
static AllocaInst *newBlock(Function &F, Type *T, Align align, const Twine &name) {
  BasicBlock::iterator at = F.getEntryBlock().begin();
  while (isa<AllocaInst>(*at))
    ++at;
  IRBuilder<> B(&*at);
  Value *size = B.CreateTypeSize(B.getInt64Ty(), F.getDataLayout().getTypeAllocSize(T));
  AllocaInst *block = B.CreateAlloca(B.getInt8Ty(), size, name);
  block->setAlignment(align);
  return block;
}

static void moveToBlock(Instruction &V) {
  Function &F = *V.getFunction();
  const Align align = F.getDataLayout().getPrefTypeAlign(V.getType());
  AllocaInst *block = newBlock(F, V.getType(), align, V.getName());
  SmallVector<Use *> uses;
  for (Use &U : V.uses())
    uses.push_back(&U);
  // Several edges from one block to a phi are one use.
  DenseMap<std::pair<Instruction *, BasicBlock *>, Value *> made;
  for (Use *U : uses) {
    auto *user = cast<Instruction>(U->getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *from = phi ? phi->getIncomingBlock(*U) : nullptr;
    Value *&value = made[{user, from}];
    if (!value)
      value = IRBuilder<>(phi ? from->getTerminator() : user).CreateAlignedLoad(V.getType(), block, align);
    U->set(value);
  }
  BasicBlock::iterator after = isa<PHINode>(V) ? V.getParent()->getFirstInsertionPt() : std::next(V.getIterator());
  IRBuilder<>(&*after).CreateAlignedStore(&V, block, align);
}

void moveScalableToBlocks(Function &F, ArrayRef<CallInst *> calls) {
  const Points points(calls.begin(), calls.end());
  SmallVector<AllocaInst *> locals;
  SmallVector<Instruction *> values;
  for (Instruction &I : instructions(F)) {
    auto *A = dyn_cast<AllocaInst>(&I);
    if (A && A->isStaticAlloca() && A->getAllocatedType()->isScalableTy())
      locals.push_back(A);
    else if (I.getType()->isScalableTy() && crosses(I, points))
      values.push_back(&I);
  }
  for (AllocaInst *A : locals) {
    A->replaceAllUsesWith(newBlock(F, A->getAllocatedType(), A->getAlign(), A->getName()));
    A->eraseFromParent();
  }
  for (Instruction *V : values)
    moveToBlock(*V);
}

} // namespace charcoal
