// See taking.h.
#include "taking.h"
#include "crossing.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"

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
  // Returns blocks that fulfil the conditions of struct Taking; none if they would run about as often as the function.
  SmallVector<BasicBlock *> rareBlocks(ArrayRef<BasicBlock *> uses);

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

SmallVector<BasicBlock *> Search::rareBlocks(ArrayRef<BasicBlock *> uses) {
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
  // A place where the frame may have been taken already costs some instructions more.
  if (is_contained(blocks, entry) || taken > runs(entry) / 4 * 3)
    return {};
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
  SmallVector<BasicBlock *> rare;
  if (!onlyAtEntry)
    if (const auto uses = blocksWithUses(homes); uses.size() <= many && !is_contained(uses, entry))
      rare = Search(F).rareBlocks(uses);
  if (rare.empty())
    rare.push_back(entry);
  for (const BasicBlock *BB : rare)
    addReached(BB, reached);
  for (BasicBlock *BB : rare)
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

} // namespace charcoal
