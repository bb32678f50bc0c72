// See webs.h.
#include "webs.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace charcoal {

uint64_t Webs::frequencyOfEdge(const BasicBlock *from, const BasicBlock *to) const {
  return (frequency.getBlockFreq(from) * probabilities.getEdgeProbability(from, to)).getFrequency();
}

unsigned Webs::rangeOf(llvm::Value &V, bool isSlotted) {
  auto [entry, isNew] = known.try_emplace(&V, ranges.size());
  if (!isNew)
    return entry->second;
  auto *I = dyn_cast<Instruction>(&V);
  Range range{&V,
              I ? I->getParent() : &F.getEntryBlock(),
              BitVector(numbers.size()),
              BitVector(numbers.size()),
              unsigned(groups.size()),
              isSlotted};
  SmallVector<const BasicBlock *> work;
  auto aliveIn = [&](const BasicBlock *BB) {
    if (BB != range.block && !range.in.test(numbers.lookup(BB))) {
      range.in.set(numbers.lookup(BB));
      work.push_back(BB);
    }
  };
  auto aliveOut = [&](const BasicBlock *BB) {
    range.out.set(numbers.lookup(BB));
    aliveIn(BB);
  };
  for (const Use &U : V.uses()) {
    auto *user = cast<Instruction>(U.getUser());
    if (auto *phi = dyn_cast<PHINode>(user))
      aliveOut(phi->getIncomingBlock(U));
    else
      aliveIn(user->getParent());
  }
  while (!work.empty())
    for (const BasicBlock *previous : predecessors(work.pop_back_val())) {
      steps -= steps > 0;
      aliveOut(previous);
    }
  steps -= std::min<uint64_t>(steps, numbers.size() / 64);
  groups.push_back({unsigned(ranges.size())});
  ranges.push_back(std::move(range));
  return entry->second;
}

// A phi can be a member if each value that reaches it can be stored on its way: at the end of a block that leads
// nowhere else, or of one that can be inserted there.
static bool hasPlaces(const PHINode &phi) {
  SmallPtrSet<const BasicBlock *, 8> before;
  return all_of(phi.blocks(), [&](const BasicBlock *from) {
    const Instruction *end = from->getTerminator();
    return before.insert(from).second && (isa<BranchInst>(end) || isa<SwitchInst>(end)) &&
           (phi.getNumIncomingValues() > 1 || from->getSingleSuccessor());
  });
}

void Webs::addLinks(unsigned phiIndex) {
  SmallVector<unsigned> work{phiIndex};
  DenseSet<unsigned> seen;
  while (!work.empty() && steps > 0) {
    unsigned at = work.pop_back_val();
    auto *phi = cast<PHINode>(ranges[at].value);
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      Value *V = phi->getIncomingValue(i);
      auto *inner = dyn_cast<PHINode>(V);
      const bool joins = inner && !standsAlone(*inner) && hasPlaces(*inner);
      if (V == phi || !(slotted.contains(V) || joins) || (inner && !joins && !standsAlone(*inner)))
        continue;
      // A phi that crosses no point would be stored only for the sake of this one. That does not pay if it is executed
      // more often.
      if (!slotted.contains(V) && frequency.getBlockFreq(inner->getParent()) > frequency.getBlockFreq(phi->getParent()))
        continue;
      const bool isNew = !known.contains(V);
      unsigned incoming = rangeOf(*V, slotted.contains(V));
      links.push_back({frequencyOfEdge(phi->getIncomingBlock(i), phi->getParent()), at, incoming});
      if (isNew && joins && !slotted.contains(V))
        work.push_back(incoming);
    }
  }
}

bool Webs::isAliveBehind(const Range &X, const Range &Y) const {
  const unsigned block = numbers.lookup(Y.block);
  auto *definition = dyn_cast<Instruction>(Y.value);
  const bool atTop = !definition || isa<PHINode>(definition);
  if (X.block == Y.block) {
    auto *other = dyn_cast<Instruction>(X.value);
    const bool otherAtTop = !other || isa<PHINode>(other);
    if (atTop != otherAtTop ? atTop : !atTop && definition->comesBefore(other))
      return false; // X is defined after Y
  } else if (!X.in.test(block)) {
    return false;
  }
  return X.out.test(block) || any_of(X.value->users(), [&](const User *U) {
           auto *user = cast<Instruction>(U);
           return user->getParent() == Y.block && !isa<PHINode>(user) && (atTop || definition->comesBefore(user));
         });
}

bool Webs::collide(unsigned a, unsigned b) const {
  return isAliveBehind(ranges[a], ranges[b]) || isAliveBehind(ranges[b], ranges[a]);
}

void Webs::join(const Link &link) {
  const unsigned into = ranges[link.phi].group, from = ranges[link.incoming].group;
  if (into == from)
    return;
  for (unsigned a : groups[into])
    for (unsigned b : groups[from]) {
      const uint64_t cost = 1 + ranges[a].value->getNumUses() + ranges[b].value->getNumUses();
      if (steps < cost || collide(a, b))
        return;
      steps -= cost;
    }
  for (unsigned member : groups[from])
    ranges[member].group = into;
  groups[into].append(groups[from]);
  groups[from].clear();
}

bool Webs::isStored(const PHINode &phi, unsigned i, unsigned group) const {
  auto incoming = known.find(phi.getIncomingValue(i));
  return incoming == known.end() || ranges[incoming->second].group != group;
}

void Webs::findWithoutPlace(ArrayRef<unsigned> members) {
  for (unsigned member : members)
    if (auto *phi = dyn_cast<PHINode>(ranges[member].value); phi && !standsAlone(*phi))
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (BasicBlock *from = phi->getIncomingBlock(i);
            isStored(*phi, i, ranges[member].group) && !from->getSingleSuccessor())
          if (std::pair edge(from, phi->getParent()); !is_contained(withoutPlace, edge))
            withoutPlace.push_back(edge);
}

// Whether the web needs fewer stores than a slot for each of its members.
bool Webs::pays(ArrayRef<unsigned> members) const {
  uint64_t alone = 0, together = 0;
  for (unsigned member : members) {
    const Range &range = ranges[member];
    const uint64_t often = frequency.getBlockFreq(range.block).getFrequency();
    if (range.slotted)
      alone += often;
    auto *phi = dyn_cast<PHINode>(range.value);
    if (!phi || standsAlone(*phi)) {
      together += often;
      continue;
    }
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      if (isStored(*phi, i, range.group))
        together += frequencyOfEdge(phi->getIncomingBlock(i), phi->getParent());
  }
  return together < alone;
}

Webs::Webs(Function &F, const CrossingValues &crossing, const DenseSet<const llvm::Value *> &slotted,
           function_ref<bool(const PHINode &)> standsAlone, const BlockFrequencyInfo &frequency,
           const BranchProbabilityInfo &probabilities)
    : F(F), slotted(slotted), standsAlone(standsAlone), frequency(frequency), probabilities(probabilities),
      steps(256 * F.size() + 4096) {
  for (BasicBlock &BB : F)
    numbers[&BB] = numbers.size();
  for (const CrossingValues::Value &V : crossing.values)
    if (auto *phi = dyn_cast<PHINode>(V.value);
        phi && steps > 0 && slotted.contains(phi) && !standsAlone(*phi) && hasPlaces(*phi))
      addLinks(rangeOf(*phi, true));
  stable_sort(links, [](const Link &a, const Link &b) { return a.frequency > b.frequency; });
  for (const Link &link : links)
    join(link);
  for (const SmallVector<unsigned> &group : groups)
    if (group.size() > 1 && pays(group)) {
      Web &web = webs.emplace_back();
      for (unsigned member : group)
        web.push_back(ranges[member].value);
      findWithoutPlace(group);
    }
}

} // namespace charcoal
