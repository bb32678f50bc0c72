// Analysis for `split`: which slots of the image, or which homes, are never in use at the same time, so that they may
// lie at the same place. It changes nothing.
#ifndef CHARCOAL_PASSES_SLOTS_H
#define CHARCOAL_PASSES_SLOTS_H

#include "addresses.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace charcoal {

// Each slot is an alloca of one of these kinds:
//   value    `split` itself stores the whole of it and loads it
//   visible  a local, every access to which is a load, a store or a memory intrinsic of this function
//   lent     a local that calls know, or others: in use between the markers of its lifetime
//   always   a local that calls know and that has no such markers, or one of `always`
//
//   touched(P) = some path to P has an access to the slot (for `lent`: the beginning of its lifetime), and no marker
//                after it
//   needed(P)  = some path from P has an access to it before it is stored as a whole, or a marker (`lent`: true)
//   in use(P)  = touched(P) and needed(P)
//   A and B collide = one is in use, or accessed too, where the other is stored to (`lent`: begins)
class SlotUses {
public:
  // Pairs of blocks: the image is kept from the end of the first, at a suspension, to the beginning of the second, at
  // the resumption.
  using Resumption = std::pair<llvm::BasicBlock *, llvm::BasicBlock *>;
  SlotUses(llvm::Function &, llvm::ArrayRef<llvm::AllocaInst *> slots,
           const llvm::SmallPtrSetImpl<const llvm::AllocaInst *> &always, llvm::ArrayRef<Resumption> = {});
  bool collide(unsigned a, unsigned b) const {
    return collisions.empty() || always.test(a) || always.test(b) || collisions[a].test(b) || collisions[b].test(a);
  }
  bool isLent(unsigned slot) const { return lent.test(slot); }

private:
  enum class Kind { Load, Store, Access, Begin, End };
  struct Event {
    llvm::Instruction *at;
    unsigned slot;
    Kind kind;
  };
  // The effect of a whole block on `touched` or `needed`.
  struct Effect {
    llvm::BitVector made, ended;
    void apply(llvm::BitVector &) const;
  };
  struct Block {
    llvm::SmallVector<unsigned, 2> before, after;
    llvm::SmallVector<Event, 0> events; // in order
    Effect forwards, backwards;         // on `touched`, on `needed`; empty where there are no events
    llvm::BitVector touched;            // at its beginning
    llvm::BitVector needed;             // at its end
  };
  void connect(llvm::Function &, llvm::ArrayRef<Resumption>);
  void findEvents(unsigned slot, llvm::AllocaInst &);
  void add(unsigned slot, llvm::Instruction *, Kind);
  void summarise(Block &) const;
  void solve();
  void findCollisions(const Block &);
  bool makes(const Event &) const;

  unsigned count;
  llvm::BitVector lent, always;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> numbers;
  std::vector<Block> blocks;               // in reverse post-order, without those that are not reached
  std::vector<llvm::BitVector> collisions; // empty if the analysis would take too long
};

} // namespace charcoal

#endif
