// Rewrite for `split`: decides where the slots of a function's image, or its homes, lie. Two of them that are never in
// use at the same time may share memory.
#ifndef CHARCOAL_PASSES_LAYOUT_H
#define CHARCOAL_PASSES_LAYOUT_H

#include "slots.h"

namespace charcoal {

struct Layout {
  llvm::SmallVector<uint64_t> offsets; // of each slot
  uint64_t end = 0;
  llvm::Align align{8};
};

// The slots are still allocas with lifetime markers. Those in `always` share their place with no other. For slots that
// do share a place, this removes the type and scope information of their accesses, so that no later pass exchanges two
// accesses because of it.
Layout layOut(llvm::Function &, llvm::ArrayRef<llvm::AllocaInst *> slots,
              const llvm::SmallPtrSetImpl<const llvm::AllocaInst *> &always, llvm::ArrayRef<SlotUses::Resumption> = {});

} // namespace charcoal

#endif
