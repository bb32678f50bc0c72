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

// Calls `cut` for every cycle that the blocks form, with its first block in the order. `cut` takes away the blocks that
// have a yield point now, or need none, and is called again for what cycles the others form.
//
// Every cycle lies in a strongly connected part of the graph, of which `cut` leaves at most a smaller part. So loops
// that stand side by side, or are nested a few levels deep, take time in proportion to their size.
static void cutCycles(SmallVector<BasicBlock *> blocks, const DenseMap<const BasicBlock *, unsigned> &order,
                      function_ref<void(SmallVectorImpl<BasicBlock *> &, BasicBlock *)> cut) {
  std::vector<SmallVector<BasicBlock *>> work{std::move(blocks)};
  while (!work.empty()) {
    const SmallVector<BasicBlock *> part = std::move(work.back());
    work.pop_back();
    for (SmallVector<BasicBlock *> &cycle : cyclesAmong(part)) {
      BasicBlock *header =
          *min_element(cycle, [&](BasicBlock *A, BasicBlock *B) { return order.lookup(A) < order.lookup(B); });
      cut(cycle, header);
      if (!cycle.empty())
        work.push_back(std::move(cycle));
    }
  }
}

static bool isUnknownCall(const Instruction &I) { return isSuspendingCall(I) && !isCheck(I); }

// Gives a yield point to every cycle of the control-flow graph that makes calls, or only waits for another activity,
// and has none yet (with Yields::Loops: to every cycle). A call of a function that surely checks at its entry counts as
// a yield point.
static void insertYieldsInCycles(Function &version) {
  const Options &O = options();
  AtomicDepth depth(version);
  Waiting waiting(version);
  ReversePostOrderTraversal<Function *> blocks(&version);
  DenseMap<const BasicBlock *, unsigned> order;
  SmallVector<BasicBlock *> without; // blocks that have no yield point, and may have one
  for (BasicBlock *BB : blocks) {
    order[BB] = order.size();
    if (!depth.entering(*BB) && none_of(*BB, isCheck))
      without.push_back(BB);
  }
  auto yieldAt = [&](SmallVectorImpl<BasicBlock *> &cycle, BasicBlock *header) {
    yieldBefore(header->isEHPad() ? &*header->getFirstInsertionPt() : &*header->getFirstNonPHIOrDbgOrAlloca(),
                O.stress);
    llvm::erase(cycle, header);
  };
  // A yield point for a cycle that makes calls of a kind. In a large one, such as the loop of an interpreter, few turns
  // make such a call, so the yield points are at the calls, if these are not too many. So is the only one of a small
  // one, because not each turn may reach it.
  auto yieldForCalls = [&](SmallVectorImpl<BasicBlock *> &cycle, BasicBlock *header, bool (*isOne)(const Instruction &),
                           unsigned most) {
    constexpr unsigned large = 16;
    auto makesOne = [&](const BasicBlock *BB) { return any_of(*BB, isOne); };
    if (count_if(cycle, makesOne) > (cycle.size() <= large ? 1 : most))
      return yieldAt(cycle, header);
    for (BasicBlock *BB : cycle)
      if (auto call = find_if(*BB, isOne); call != BB->end())
        yieldBefore(&*call, O.stress);
    erase_if(cycle, makesOne);
  };

  // First the cycles that make no suspending calls.
  SmallVector<BasicBlock *> plain;
  copy_if(without, std::back_inserter(plain), [](BasicBlock *BB) { return none_of(*BB, isSuspendingCall); });
  cutCycles(std::move(plain), order, [&](SmallVectorImpl<BasicBlock *> &cycle, BasicBlock *header) {
    auto someDoes = [&](bool (*what)(const Instruction &)) {
      return any_of(cycle, [&](const BasicBlock *BB) { return any_of(*BB, what); });
    };
    if (O.yields == Yields::Loops)
      yieldAt(cycle, header);
    else if (someDoes(isRealCall))
      yieldForCalls(cycle, header, isRealCall, 64); // each is one more point, which makes all others dearer
    else if (!someDoes(isLookAtShared))
      cycle.clear();
    else if (waiting.onlyWaits(cycle))
      yieldAt(cycle, header);
    else
      llvm::erase(cycle, header);
  });

  // Then those that call only functions of which nobody knows whether they check. Where a computed goto leads right to
  // many such calls, most turns make one, so that a yield point at the goto is passed no more often. LLVM copies the
  // goto behind each label, and if the labels began with yield points, the time that it takes to place the blocks would
  // grow with the cube of their number.
  constexpr unsigned many = 64;
  auto makesCall = [](const BasicBlock *BB) { return any_of(*BB, isUnknownCall); };
  auto isLabelOfCall = [&](const BasicBlock *BB) { return BB->hasAddressTaken() && makesCall(BB); };
  erase_if(without, [](BasicBlock *BB) { return any_of(*BB, isCheck); });
  cutCycles(std::move(without), order, [&](SmallVectorImpl<BasicBlock *> &cycle, BasicBlock *header) {
    if (none_of(cycle, makesCall))
      cycle.clear();
    else if (count_if(cycle, isLabelOfCall) > many)
      yieldAt(cycle, header);
    else
      yieldForCalls(cycle, header, isUnknownCall, UINT_MAX); // these are points anyway
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
