// See layout.h. The slots are laid out from the largest to the smallest, each at the lowest offset where it overlaps no
// slot that is in use at the same time. So small slots fill the gaps that alignment leaves.
#include "layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Metadata.h"
#include <numeric>

using namespace llvm;

namespace charcoal {

namespace {

class Packing {
public:
  Packing(const DataLayout &DL, ArrayRef<AllocaInst *> slots, const SlotUses &uses)
      : DL(DL), slots(slots), uses(uses), shared(slots.size()) {
    layout.offsets.resize(slots.size());
    SmallVector<unsigned> order(slots.size());
    std::iota(order.begin(), order.end(), 0);
    stable_sort(order, [&](unsigned a, unsigned b) {
      return std::pair(sizeOf(b), slots[b]->getAlign()) < std::pair(sizeOf(a), slots[a]->getAlign());
    });
    for (unsigned slot : order)
      place(slot);
  }
  Layout layout;
  const BitVector &isShared() const { return shared; }

private:
  struct Placed {
    uint64_t start, end;
    unsigned slot;
  };
  // A local of size 0 takes a byte, because distinct locals have distinct addresses.
  uint64_t sizeOf(unsigned slot) const {
    return std::max<uint64_t>(1, slots[slot]->getAllocationSize(DL)->getFixedValue());
  }
  // The lowest offset at which the slot overlaps none with which it collides.
  uint64_t startOf(unsigned slot) const {
    uint64_t start = 0;
    for (const Placed &other : placed) {
      if (other.start >= start + sizeOf(slot))
        break;
      if (other.end > start && uses.collide(slot, other.slot))
        start = alignTo(other.end, slots[slot]->getAlign());
    }
    return start;
  }
  void place(unsigned slot) {
    const bool isInTime = steps >= placed.size();
    steps -= isInTime ? placed.size() : 0;
    const uint64_t start = isInTime ? startOf(slot) : alignTo(layout.end, slots[slot]->getAlign());
    const Placed here{start, start + sizeOf(slot), slot};
    if (isInTime)
      for (const Placed &other : placed)
        if (other.start < here.end && here.start < other.end)
          shared.set(slot).set(other.slot);
    placed.insert(upper_bound(placed, here, [](auto &a, auto &b) { return a.start < b.start; }), here);
    layout.offsets[slot] = start;
    layout.end = std::max(layout.end, here.end);
    layout.align = std::max(layout.align, slots[slot]->getAlign());
  }

  const DataLayout &DL;
  ArrayRef<AllocaInst *> slots;
  const SlotUses &uses;
  SmallVector<Placed> placed; // in the order of their starts
  BitVector shared;
  uint64_t steps = 1 << 22; // one budget for all slots together, so that the time is linear
};

} // namespace

// Alias analysis knows where a direct access to a slot lies. But for addresses that have gone through calls or memory
// it relies on types and scopes, and these hold only for variables that share no memory.
static void keepOrder(AllocaInst &A, bool isLent) {
  const AddressUses uses(A);
  if (!isLent) {
    for (Instruction *I : uses.accesses)
      I->setAAMetadata(AAMDNodes());
    return;
  }
  auto *type = FunctionType::get(Type::getVoidTy(A.getContext()), false);
  for (Instruction *start : uses.starts)
    IRBuilder<>(start).CreateCall(InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true))->setDoesNotThrow();
}

Layout layOut(Function &F, ArrayRef<AllocaInst *> slots, const SmallPtrSetImpl<const AllocaInst *> &always,
              ArrayRef<SlotUses::Resumption> resumptions) {
  const SlotUses uses(F, slots, always, resumptions);
  const Packing packing(F.getDataLayout(), slots, uses);
  for (unsigned slot : packing.isShared().set_bits())
    keepOrder(*slots[slot], uses.isLent(slot));
  return packing.layout;
}

} // namespace charcoal
