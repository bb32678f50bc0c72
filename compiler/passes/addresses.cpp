// See addresses.h.
#include "addresses.h"
#include "suspension_markers.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace charcoal {

bool isRepeatable(const Value *V) {
  auto *G = dyn_cast<GetElementPtrInst>(V);
  return G && G->hasAllConstantIndices() && rootOfRepeatable(const_cast<GetElementPtrInst *>(G));
}

AllocaInst *rootOfRepeatable(Value *V) {
  while (auto *G = dyn_cast<GetElementPtrInst>(V)) {
    if (!G->hasAllConstantIndices())
      return nullptr;
    V = G->getPointerOperand();
  }
  auto *A = dyn_cast<AllocaInst>(V);
  return A && A->isStaticAlloca() ? A : nullptr;
}

AddressUses::AddressUses(AllocaInst &A) {
  SmallVector<Value *> work{&A};
  SmallPtrSet<Value *, 8> seen{&A};
  while (!work.empty()) {
    Value *pointer = work.pop_back_val();
    for (Use &U : pointer->uses())
      visit(U, work, seen);
  }
}

void AddressUses::follow(Instruction *I, Work &work, Seen &seen) {
  if (!isRepeatable(I))
    derived.insert(I);
  if (seen.insert(I).second)
    work.push_back(I);
}

void AddressUses::capturedBy(Instruction *I) {
  escapes = true;
  captures.push_back(I);
}

void AddressUses::visit(Use &U, Work &work, Seen &seen) {
  auto *I = cast<Instruction>(U.getUser());
  switch (I->getOpcode()) {
  case Instruction::Load:
    accesses.push_back(I);
    return;
  case Instruction::Store:
    accesses.push_back(I);
    if (U.getOperandNo() == 0)
      capturedBy(I);
    return;
  case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
    accesses.push_back(I);
    if (U.getOperandNo() != 0)
      capturedBy(I);
    return;
  case Instruction::GetElementPtr:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::PHI:
  case Instruction::Select:
    follow(I, work, seen);
    return;
  case Instruction::ICmp:
    return;
  case Instruction::Call:
    break;
  default:
    accesses.push_back(I);
    capturedBy(I);
    return;
  }
  auto *CB = cast<CallBase>(I);
  if (auto *II = dyn_cast<IntrinsicInst>(CB)) {
    if (II->getIntrinsicID() == Intrinsic::lifetime_start) {
      starts.push_back(II);
      return;
    }
    if (II->getIntrinsicID() == Intrinsic::lifetime_end) {
      ends.push_back(II);
      return;
    }
    if (II->isAssumeLikeIntrinsic()) {
      if (II->getType()->isPointerTy()) // the address of an annotated member
        follow(II, work, seen);
      return;
    }
  }
  accesses.push_back(I);
  if (!CB->isDataOperand(&U) || CB->isBundleOperand(&U)) {
    capturedBy(I);
    return;
  }
  unsigned n = CB->getArgOperandNo(&U);
  if (CB->isByValArgument(n))
    return;
  if (!CB->doesNotCapture(n)) {
    capturedBy(I);
    return;
  }
  escapes |= isSuspendingCall(*CB);
  // The call returns the address: its parameter is `returned`, or it is an intrinsic that moves a pointer along.
  if (CB->getType()->isPointerTy() && (CB->paramHasAttr(n, Attribute::Returned) || isa<IntrinsicInst>(CB)))
    capturedBy(I);
}

} // namespace charcoal
