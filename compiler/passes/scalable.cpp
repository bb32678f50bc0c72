// See scalable.h. A function whose source uses such values has no interruptible version (suspension.cpp). The values
// that this file meets were made by the vectorizer, or come from functions that were inlined.
#include "scalable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace charcoal {

// A value of such a type, or a local that holds one.
static bool isScalable(const Instruction &I) {
  auto *A = dyn_cast<AllocaInst>(&I);
  return (A ? A->getAllocatedType() : I.getType())->isScalableTy();
}

// Makes a local of variable length, as large as the type is on this machine. It stands after the static locals.
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
  // Several edges from one block to a phi count as one use, because they must bring the same value.
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

void moveScalableToBlocks(Function &F, ArrayRef<Point> points) {
  if (none_of(instructions(F), [](const Instruction &I) { return isScalable(I); }))
    return;
  const CrossingValues crossing(F, points);
  SmallVector<AllocaInst *> locals;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca() && isScalable(I))
      locals.push_back(A);
  for (AllocaInst *A : locals) {
    A->replaceAllUsesWith(newBlock(F, A->getAllocatedType(), A->getAlign(), A->getName()));
    A->eraseFromParent();
  }
  for (const CrossingValues::Value &V : crossing.values)
    if (V.value->getType()->isScalableTy())
      moveToBlock(cast<Instruction>(*V.value));
}

} // namespace charcoal
