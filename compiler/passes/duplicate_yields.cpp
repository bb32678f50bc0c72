// Yield points, in pass `duplicate`: where an interruptible version may give way although it does not wait.
#include "atomic.h"
#include "cycles.h"
#include "duplicator.h"
#include "options.h"
#include "suspension_markers.h"
#include "waiting.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace charcoal {

CallInst *yieldBefore(Instruction *at, bool always) {
  IRBuilder<> B(at);
  CallInst *call = B.CreateCall(markerFunction(*at->getModule(), always ? PauseName : YieldName));
  call->setDoesNotThrow();
  if (!call->getDebugLoc())
    if (DISubprogram *place = at->getFunction()->getSubprogram())
      call->setDebugLoc(DILocation::get(at->getContext(), place->getScopeLine(), 0, place));
  return call;
}

// ---- at the entry and in cycles ----

// Calls `cut` for every cycle that the blocks form, with its first block in the order. The result says whether only
// cycles that lead around this block remain to be cut; otherwise none of these blocks' cycles remain.
//
// Every cycle lies in a strongly connected part of the graph. All cycles that remain lie in the part without its first
// block. So loops that stand side by side, or are nested a few levels deep, take time in proportion to their size.
static void cutCycles(SmallVector<BasicBlock *> blocks, const DenseMap<const BasicBlock *, unsigned> &order,
                      function_ref<bool(ArrayRef<BasicBlock *>, BasicBlock *)> cut) {
  std::vector<SmallVector<BasicBlock *>> work{std::move(blocks)};
  while (!work.empty()) {
    const SmallVector<BasicBlock *> part = std::move(work.back());
    work.pop_back();
    for (SmallVector<BasicBlock *> &cycle : cyclesAmong(part)) {
      BasicBlock *header =
          *min_element(cycle, [&](BasicBlock *A, BasicBlock *B) { return order.lookup(A) < order.lookup(B); });
      if (!cut(cycle, header))
        continue;
      llvm::erase(cycle, header);
      if (!cycle.empty())
        work.push_back(std::move(cycle));
    }
  }
}

static bool isUnknownCall(const Instruction &I) { return isSuspendingCall(I) && !isCheck(I); }
static bool hasUnknownCall(const BasicBlock *BB) { return any_of(*BB, isUnknownCall); }

// Gives a yield point to every cycle of the control-flow graph that makes calls, or only waits for another activity,
// and has none yet (with Yields::Loops: to every cycle). A call of a function that surely checks at its entry counts as
// a yield point.
static void insertYieldsInCycles(Function &version) {
  const Options &O = options();
  AtomicDepth depth(version);
  ReversePostOrderTraversal<Function *> blocks(&version);
  DenseMap<const BasicBlock *, unsigned> order;
  SmallVector<BasicBlock *> without; // blocks that have no yield point, and may have one
  for (BasicBlock *BB : blocks) {
    order[BB] = order.size();
    if (!depth.entering(*BB) && none_of(*BB, isCheck))
      without.push_back(BB);
  }
  auto yieldAt = [&](BasicBlock *BB) { yieldBefore(&*BB->getFirstNonPHIOrDbgOrAlloca(), O.stress); };

  // First the cycles that make no suspending calls.
  SmallVector<BasicBlock *> plain;
  copy_if(without, std::back_inserter(plain), [](BasicBlock *BB) { return none_of(*BB, isSuspendingCall); });
  cutCycles(std::move(plain), order, [&](ArrayRef<BasicBlock *> cycle, BasicBlock *header) {
    if (O.yields != Yields::Loops &&
        none_of(cycle, [](const BasicBlock *BB) { return any_of(*BB, needsYieldInCycle); }))
      return false;
    const SmallVector<const BasicBlock *> all(cycle.begin(), cycle.end());
    if (O.yields == Yields::Loops || any_of(cycle, [](const BasicBlock *BB) { return any_of(*BB, isRealCall); }) ||
        onlyWaits(all))
      yieldAt(header);
    return true;
  });

  // Then those that call only functions of which nobody knows whether they check. In a large loop, such as that of an
  // interpreter, few turns make such a call, so the yield points are at the calls.
  constexpr unsigned large = 16;
  erase_if(without, [](BasicBlock *BB) { return any_of(*BB, isCheck); });
  cutCycles(std::move(without), order, [&](ArrayRef<BasicBlock *> cycle, BasicBlock *header) {
    if (none_of(cycle, hasUnknownCall))
      return false;
    if (cycle.size() <= large) {
      yieldAt(header);
      return true;
    }
    for (BasicBlock *BB : cycle)
      if (auto call = find_if(*BB, isUnknownCall); call != BB->end())
        yieldBefore(&*call, O.stress);
    return false;
  });
}

void insertYields(Function &version) {
  const Options &O = options();
  if (O.yields == Yields::None && !O.stress)
    return;
  BasicBlock::iterator start = version.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  yieldBefore(&*start, O.stress);
  insertYieldsInCycles(version);
}

// ---- `yield;` ----

// Marks a block that does nothing but give way as unlikely: in `if (now and then) yield;` it is not the usual way.
static void expectRarely(BasicBlock &BB) {
  BasicBlock *before = BB.getSinglePredecessor();
  auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || branch->hasMetadata(LLVMContext::MD_prof) ||
      branch->getSuccessor(0) == branch->getSuccessor(1) || BB.sizeWithoutDebug() > 3)
    return;
  MDBuilder weights(BB.getContext());
  branch->setMetadata(LLVMContext::MD_prof, branch->getSuccessor(0) == &BB ? weights.createUnlikelyBranchWeights()
                                                                           : weights.createLikelyBranchWeights());
}

void lowerExplicitYields(Module &M) {
  Function *marker = M.getFunction("__charcoal_yield");
  if (!marker)
    return;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    AtomicDepth depth(F);
    for (BasicBlock &BB : F)
      depth.walk(BB, [&](Instruction &I, unsigned level) {
        if (!calls(I, "__charcoal_yield"))
          return;
        if (isInterruptible(F) && !level) {
          CallInst *yield = yieldBefore(&I, options().stress);
          yield->addFnAttr(Attribute::get(M.getContext(), ExplicitAttr));
          yield->setDebugLoc(I.getDebugLoc());
        }
        expectRarely(*I.getParent());
        I.eraseFromParent();
      });
  }
}

} // namespace charcoal
