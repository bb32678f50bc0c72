// Pass `merge`: yield points that others make superfluous go.
//
//   takes   interruptible versions after inlining: the yields at the entries of inlined functions are anywhere in them
//   leaves  of the inserted yields only those without which a cycle would pass no check; `split` gives every
//   interruptible
//           version a check at its entry by itself
//
//     loop: call @charcoal.yield()         loop: {s, v} = call @g.int() #s    ; g.int checks at its entry
//           call @g.int() #s          =>         br i1 %c, %loop, %end
//           br i1 %c, %loop, %end
//
// Yields that the user wrote stay. So do those of stress builds: there every one is a point to be tried.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-merge
#include "merge.h"
#include "marks.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace charcoal {

static bool isCheck(const Instruction &I) { return isSuspendingCall(I) || isYield(I) || isPause(I); }

// Is there a cycle through BB that passes no check outside BB?
static bool onUncheckedCycle(const BasicBlock *BB) {
  SmallPtrSet<const BasicBlock *, 32> seen;
  SmallVector<const BasicBlock *> work{BB};
  while (!work.empty())
    for (const BasicBlock *next : successors(work.pop_back_val())) {
      if (next == BB)
        return true;
      if (seen.insert(next).second && none_of(*next, isCheck))
        work.push_back(next);
    }
  return false;
}

PreservedAnalyses MergePass::run(Module &M, ModuleAnalysisManager &) {
  for (Function &F : M) {
    if (!isTwin(F))
      continue;
    SmallVector<CallInst *> inserted;
    for (Instruction &I : instructions(F))
      if (isYield(I) && !cast<CallInst>(I).hasFnAttr(ExplicitAttr))
        inserted.push_back(cast<CallInst>(&I));
    for (CallInst *yield : inserted) {
      const BasicBlock *BB = yield->getParent();
      bool another = any_of(*BB, [&](const Instruction &I) { return &I != yield && isCheck(I); });
      if (another || !onUncheckedCycle(BB))
        yield->eraseFromParent();
    }
  }
  return PreservedAnalyses::none();
}

} // namespace charcoal
