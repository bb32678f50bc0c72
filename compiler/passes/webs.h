// Analysis for `split`: which values can share one slot of the image because PHI nodes join them. It changes nothing.
#ifndef CHARCOAL_PASSES_WEBS_H
#define CHARCOAL_PASSES_WEBS_H

#include "crossing.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"

namespace charcoal {

// A variable of a loop is a phi at the head of the loop and the values that reach it round the loop, often by further
// phis. No two members of a web are alive at the same time, so one slot holds the one that is. Where a member reaches a
// phi that is one too, nothing has to be stored.
//
//   alive(V, B)     = V is used in B before any definition, or alive after B and not defined in B
//   X and Y collide = X is alive just after the definition of Y, or the other way round
class Webs {
public:
  // `slotted`: the crossing values that are to be in the image. `standsAlone` says of a phi that it may not be joined
  // with what reaches it: it is the result of a call, or stays in a register.
  Webs(llvm::Function &, const CrossingValues &, const llvm::DenseSet<const llvm::Value *> &slotted,
       llvm::function_ref<bool(const llvm::PHINode &)> standsAlone, const llvm::BlockFrequencyInfo &,
       const llvm::BranchProbabilityInfo &);
  using Web = llvm::SmallVector<llvm::Value *>;
  std::vector<Web> webs;
  // Edges on which a value has to be stored for a phi of a web, but which have no block of their own.
  llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>> withoutPlace;

private:
  struct Range {
    llvm::Value *value;
    const llvm::BasicBlock *block; // where it is defined
    llvm::BitVector in, out;       // blocks at whose beginning, at whose end it is alive
    unsigned group;
    bool slotted;
  };
  struct Link {
    uint64_t frequency;
    unsigned phi, incoming;
  };
  unsigned rangeOf(llvm::Value &, bool slotted);
  void addLinks(unsigned phi);
  bool isAliveBehind(const Range &, const Range &definition) const;
  bool collide(unsigned, unsigned) const;
  void join(const Link &);
  bool pays(llvm::ArrayRef<unsigned> members) const;
  void findWithoutPlace(llvm::ArrayRef<unsigned> members);
  bool isStored(const llvm::PHINode &, unsigned incoming, unsigned group) const;
  uint64_t frequencyOfEdge(const llvm::BasicBlock *from, const llvm::BasicBlock *to) const;

  llvm::Function &F;
  const llvm::DenseSet<const llvm::Value *> &slotted;
  llvm::function_ref<bool(const llvm::PHINode &)> standsAlone;
  const llvm::BlockFrequencyInfo &frequency;
  const llvm::BranchProbabilityInfo &probabilities;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> numbers;
  llvm::DenseMap<const llvm::Value *, unsigned> known; // indices of ranges
  std::vector<Range> ranges;
  std::vector<llvm::SmallVector<unsigned>> groups;
  std::vector<Link> links;
  uint64_t steps; // one budget for all together, so that the time is linear
};

} // namespace charcoal

#endif
