// Pass `merge`: removes yield points that others make superfluous.
//
//   takes   interruptible versions after inlining: the yields at the entries of inlined functions are anywhere in them
//   leaves  of the inserted yields only those without which a cycle would pass no check. At the entry of each
//           interruptible version `split` inserts a check by itself
//
//     loop: call @charcoal.yield()         loop: {s, v} = call @g.int() #s    ; g.int checks at its entry
//           call @g.int() #s          =>         br i1 %c, %loop, %end
//           br i1 %c, %loop, %end
//
// Yields that the user wrote stay. In stress builds all yields stay, because each of them is to be tried. What has
// another check behind it in its block goes earlier, while LLVM inlines (MergeInBlocks).
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-merge
#include "merge.h"
#include "cycles.h"
#include "suspension_markers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace charcoal {

// The blocks of a part with cycles, and the number of steps that may still be spent on the search for ways round.
struct Cycle {
  SmallPtrSet<const BasicBlock *, 32> blocks;
  uint64_t steps;
};

// Whether some way round a cycle leads through BB and passes no check outside BB. If it would take too long to find
// out, the answer is yes, because a superfluous yield point costs little.
static bool onUncheckedCycle(const BasicBlock *BB, Cycle &cycle) {
  SmallPtrSet<const BasicBlock *, 32> seen;
  SmallVector<const BasicBlock *> work{BB};
  while (!work.empty())
    for (const BasicBlock *next : successors(work.pop_back_val())) {
      if (next == BB || cycle.steps == 0)
        return true;
      --cycle.steps;
      if (cycle.blocks.contains(next) && seen.insert(next).second && none_of(*next, isCheck))
        work.push_back(next);
    }
  return false;
}

static bool isInserted(const Instruction &I) { return isYield(I) && !cast<CallInst>(I).hasFnAttr(ExplicitAttr); }
static bool staysCheck(const Instruction &I) { return isCheck(I) && !isInserted(I); }

// Each cycle that passes no other check lies in one of the parts that cyclesAmong finds, so a yield point outside these
// parts is superfluous. The yield points of one part are examined one after the other, because when one is removed the
// next may be needed.
static void mergeYields(Function &F) {
  SmallVector<CallInst *> inserted;
  SmallVector<BasicBlock *> unchecked;
  for (BasicBlock &BB : F) {
    for (Instruction &I : BB)
      if (isInserted(I))
        inserted.push_back(cast<CallInst>(&I));
    if (none_of(BB, staysCheck))
      unchecked.push_back(&BB);
  }
  if (inserted.empty())
    return;
  DenseMap<const BasicBlock *, unsigned> cycleOf;
  std::vector<Cycle> cycles;
  for (const SmallVector<BasicBlock *> &part : cyclesAmong(unchecked)) {
    for (BasicBlock *BB : part)
      cycleOf[BB] = cycles.size();
    cycles.push_back({{part.begin(), part.end()}, 64 * part.size() + 4096}); // so that the time is linear
  }
  for (CallInst *yield : inserted) {
    const BasicBlock *BB = yield->getParent();
    auto found = cycleOf.find(BB);
    const bool another =
        found == cycleOf.end() || any_of(*BB, [&](const Instruction &I) { return &I != yield && isCheck(I); });
    if (another || !onUncheckedCycle(BB, cycles[found->second]))
      yield->eraseFromParent();
  }
}

static bool mergeInBlock(BasicBlock &BB) {
  bool checked = false, changed = false;
  for (Instruction &I : make_early_inc_range(reverse(BB))) {
    if (checked && isInserted(I)) {
      I.eraseFromParent();
      changed = true;
    } else {
      checked |= isCheck(I);
    }
  }
  return changed;
}

PreservedAnalyses MergeInBlocks::run(Function &F, FunctionAnalysisManager &) {
  bool changed = false;
  if (isInterruptible(F))
    for (BasicBlock &BB : F)
      changed |= mergeInBlock(BB);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

PreservedAnalyses MergePass::run(Module &M, ModuleAnalysisManager &) {
  for (Function &F : M)
    if (isInterruptible(F))
      mergeYields(F);
  return PreservedAnalyses::none();
}

} // namespace charcoal
