// See taking.h.
#include "taking.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace charcoal {

using Reached = SmallPtrSet<const BasicBlock *, 32>;

// Adds the blocks that control may reach when it has left this one.
static void addReached(const BasicBlock *from, Reached &reached) {
  SmallVector<const BasicBlock *> work{from};
  while (!work.empty())
    for (const BasicBlock *next : successors(work.pop_back_val()))
      if (reached.insert(next).second)
        work.push_back(next);
}

namespace {

// Looks for the places at which one function takes its frame.
class Search {
public:
  explicit Search(Function &F)
      : entry(&F.getEntryBlock()), tree(F), loops(tree), probabilities(F, loops), frequency(F, probabilities, loops) {}
  // Returns blocks that fulfil the conditions of struct Taking; none if they would run more often than the function.
  SmallVector<BasicBlock *> blocksFor(ArrayRef<BasicBlock *> uses, bool &isSeldom);

private:
  uint64_t runs(const BasicBlock *BB) const { return frequency.getBlockFreq(BB).getFrequency(); }
  BasicBlock *outsideLoops(BasicBlock *) const;
  bool join(SmallVectorImpl<BasicBlock *> &) const;

  BasicBlock *entry;
  DominatorTree tree;
  LoopInfo loops;
  BranchProbabilityInfo probabilities;
  BlockFrequencyInfo frequency;
};

} // namespace

BasicBlock *Search::outsideLoops(BasicBlock *BB) const {
  for (;;) {
    if (const Loop *loop = loops.getLoopFor(BB)) {
      BB = loop->getOutermostLoop()->getHeader();
    } else {
      Reached reached; // for cycles that are no natural loops
      addReached(BB, reached);
      if (!reached.contains(BB))
        return BB;
    }
    BB = tree.getNode(BB)->getIDom()->getBlock();
  }
}

// Replaces two blocks by one that dominates both, if that does not run more often. False if there are no such blocks.
bool Search::join(SmallVectorImpl<BasicBlock *> &blocks) const {
  for (unsigned a = 0; a < blocks.size(); ++a)
    for (unsigned b = a + 1; b < blocks.size(); ++b) {
      BasicBlock *above = outsideLoops(tree.findNearestCommonDominator(blocks[a], blocks[b]));
      if (runs(above) > runs(blocks[a]) + runs(blocks[b]))
        continue;
      blocks[a] = above;
      blocks.erase(blocks.begin() + b);
      return true;
    }
  return false;
}

SmallVector<BasicBlock *> Search::blocksFor(ArrayRef<BasicBlock *> uses, bool &isSeldom) {
  SmallVector<BasicBlock *> blocks;
  for (BasicBlock *BB : uses) {
    if (!tree.isReachableFromEntry(BB))
      return {};
    blocks.push_back(outsideLoops(BB));
  }
  while (join(blocks))
    ;
  uint64_t taken = 0;
  for (const BasicBlock *BB : blocks)
    taken += runs(BB);
  if (is_contained(blocks, entry) || taken > runs(entry))
    return {};
  // A place where the frame may have been taken already costs some instructions more.
  isSeldom = taken <= runs(entry) / 4 * 3;
  return blocks;
}

static SmallVector<BasicBlock *> blocksWithUses(ArrayRef<AllocaInst *> homes) {
  SmallSetVector<BasicBlock *, 16> blocks;
  for (AllocaInst *A : homes)
    for (const Use &U : A->uses())
      if (!cast<Instruction>(U.getUser())->isLifetimeStartOrEnd())
        blocks.insert(blockOfUse(U));
  return blocks.takeVector();
}

Taking::Taking(Function &F, ArrayRef<AllocaInst *> homes, bool onlyAtEntry) {
  constexpr unsigned many = 16; // so that the time is linear
  BasicBlock *entry = &F.getEntryBlock();
  SmallVector<BasicBlock *> blocks;
  if (!onlyAtEntry)
    if (const auto uses = blocksWithUses(homes); uses.size() <= many && !is_contained(uses, entry))
      blocks = Search(F).blocksFor(uses, isSeldom);
  if (blocks.empty())
    blocks.push_back(entry);
  for (const BasicBlock *BB : blocks)
    addReached(BB, reached);
  for (BasicBlock *BB : blocks)
    places.push_back({BB, reached.contains(BB)});
}

Instruction *Taking::positionIn(BasicBlock &BB, ArrayRef<AllocaInst *> homes) {
  Instruction *first = nullptr;
  for (AllocaInst *A : homes)
    for (const Use &U : A->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      if (I->isLifetimeStartOrEnd() || blockOfUse(U) != &BB)
        continue;
      Instruction *at = isa<PHINode>(I) ? BB.getTerminator() : I;
      if (!first || at->comesBefore(first))
        first = at;
    }
  return first ? first : &*BB.getFirstInsertionPt();
}

// ---- where it is given back ----

namespace {

// Follows the frame and the homes through one function, in two walks: `alive` has to be known before `held` can be.
class Follower {
public:
  Follower(Function &F, ArrayRef<AllocaInst *> homes, ArrayRef<Instruction *> taken, ArrayRef<Instruction *> ends,
           ArrayRef<Point> points)
      : F(F), taken(taken.begin(), taken.end()), ends(ends.begin(), ends.end()), unmarked(homes.size(), true) {
    for (unsigned k = 0; k < points.size(); ++k)
      numbers[points[k].at] = k;
    tenure.points.resize(points.size());
    for (unsigned i = 0; i < homes.size(); ++i)
      for (const Use &U : homes[i]->uses()) {
        auto *I = cast<Instruction>(U.getUser());
        if (I->isLifetimeStartOrEnd()) {
          markers[I] = i;
          if (cast<IntrinsicInst>(I)->getIntrinsicID() == Intrinsic::lifetime_start)
            unmarked.reset(i);
        } else {
          uses.insert(isa<PHINode>(I) ? blockOfUse(U)->getTerminator() : I);
        }
      }
  }
  bool follow();
  Tenure tenure;

private:
  void findAlive();
  void mark(const Instruction &, BitVector &now) const;
  std::optional<bool> pass(BasicBlock &, bool held);

  Function &F;
  const SmallPtrSet<const Instruction *, 4> taken, ends;
  BitVector unmarked;                              // the homes that are always alive
  DenseMap<const Instruction *, unsigned> numbers; // of points
  DenseMap<const Instruction *, unsigned> markers; // of lifetimes, with the home
  SmallPtrSet<const Instruction *, 16> uses;       // by which the frame is needed
  DenseMap<const BasicBlock *, BitVector> alive;   // at the beginning of the block, on some way to it
};

} // namespace

void Follower::mark(const Instruction &I, BitVector &now) const {
  if (auto home = markers.find(&I); home != markers.end())
    now[home->second] = cast<IntrinsicInst>(I).getIntrinsicID() == Intrinsic::lifetime_start;
}

void Follower::findAlive() {
  alive[&F.getEntryBlock()] = unmarked;
  SmallVector<const BasicBlock *> work{&F.getEntryBlock()};
  while (!work.empty()) {
    const BasicBlock *BB = work.pop_back_val();
    BitVector now = alive[BB];
    for (const Instruction &I : *BB)
      mark(I, now);
    for (const BasicBlock *next : successors(BB)) {
      auto [known, isNew] = alive.try_emplace(next, now);
      if (!isNew && !now.test(known->second))
        continue;
      known->second |= now;
      work.push_back(next);
    }
  }
}

// Returns whether the activation has the frame at the end of the block; nothing if it uses a home without one.
std::optional<bool> Follower::pass(BasicBlock &BB, bool held) {
  BitVector now = alive[&BB];
  for (Instruction &I : BB) {
    if (taken.contains(&I)) {
      if (held)
        return std::nullopt;
      held = true;
    }
    if (uses.contains(&I) && !held)
      return std::nullopt;
    if (auto number = numbers.find(&I); number != numbers.end())
      tenure.points[number->second] = held;
    const bool wasAlive = now.any();
    mark(I, now);
    if (held && ((wasAlive && now.none()) || ends.contains(&I))) {
      tenure.given.push_back(&I);
      held = false;
    }
  }
  return held;
}

bool Follower::follow() {
  findAlive();
  DenseMap<const BasicBlock *, bool> begins{{&F.getEntryBlock(), false}};
  SmallVector<BasicBlock *> work{&F.getEntryBlock()};
  while (!work.empty()) {
    BasicBlock *BB = work.pop_back_val();
    const std::optional<bool> held = pass(*BB, begins[BB]);
    if (!held)
      return false;
    for (BasicBlock *next : successors(BB)) {
      auto [known, isNew] = begins.try_emplace(next, *held);
      if (known->second != *held)
        return false;
      if (isNew)
        work.push_back(next);
    }
  }
  return true;
}

std::optional<Tenure> Tenure::find(Function &F, ArrayRef<AllocaInst *> homes, ArrayRef<Instruction *> taken,
                                   ArrayRef<Instruction *> ends, ArrayRef<Point> points) {
  Follower follower(F, homes, taken, ends, points);
  if (!follower.follow())
    return std::nullopt;
  return std::move(follower.tenure);
}

} // namespace charcoal
