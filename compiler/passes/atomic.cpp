// Pass `atomic`: turns the markers of atomic regions into code that counts the depth of nesting.
//
//   takes   calls of __charcoal_atomic_enter/leave; functions with the attribute "charcoal-atomic"
//   leaves  ++ and -- of ch_tls.atomic_depth, the latter with a call of ch_atomic_settle in a cold branch; around calls
//           that return twice, in plain versions, calls of ch_around_note and ch_around_restore
//
//     before                              after
//       call @__charcoal_atomic_enter()     depth += 1
//       call @g()                           call @g()
//       call @__charcoal_atomic_leave(p)    depth -= 1; if (pending) call @ch_atomic_settle()
//
// Runs after `duplicate`, which needs the markers to know which calls stay plain.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-atomic
#include "atomic.h"
#include "abi.h"
#include "anchor.h"
#include "suspension_markers.h"
#include "suspension.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace charcoal {

static constexpr StringLiteral EnterName = "__charcoal_atomic_enter";
static constexpr StringLiteral LeaveName = "__charcoal_atomic_leave";

int AtomicDepth::delta(const Instruction &I) {
  if (calls(I, EnterName))
    return 1;
  if (calls(I, LeaveName))
    return -1;
  return 0;
}

AtomicDepth::AtomicDepth(Function &F) {
  SmallVector<BasicBlock *> work{&F.getEntryBlock()};
  atEntry[&F.getEntryBlock()] = F.hasFnAttribute(AtomicAttr) ? 1 : 0;
  while (!work.empty()) {
    BasicBlock *BB = work.pop_back_val();
    int depth = atEntry[BB];
    for (Instruction &I : *BB)
      depth = std::max(0, depth + delta(I));
    for (BasicBlock *next : successors(BB))
      if (atEntry.try_emplace(next, depth).second)
        work.push_back(next);
  }
}

static void addToDepth(Abi &abi, IRBuilder<> &B, int by) {
  Value *field = abi.tlsField(B, offsetof(struct ch_tls, atomic_depth));
  Value *depth = B.CreateAlignedLoad(abi.I32, field, Align(4));
  B.CreateAlignedStore(B.CreateAdd(depth, B.getInt32(by)), field, Align(4));
}

static void leaveBefore(Abi &abi, Instruction *at) {
  IRBuilder<> B(at);
  addToDepth(abi, B, -1);
  Value *pending = B.CreateAlignedLoad(abi.I32, abi.tlsField(B, offsetof(struct ch_tls, atomic_pending)), Align(4));
  MDNode *unlikely = MDBuilder(abi.C).createUnlikelyBranchWeights();
  Instruction *cold = SplitBlockAndInsertIfThen(B.CreateIsNotNull(pending), at, false, unlikely);
  IRBuilder<>(cold).CreateCall(abi.atomicSettle());
}

// Functions during which no activity can be spawned: everything that they call is known, or calls nothing back. For
// them it makes no difference how many atomic blocks are counted around them.
static DenseSet<const Function *> functionsThatCannotSpawn(Module &M) {
  DenseSet<const Function *> spawnless;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.isInterposable())
      spawnless.insert(&F);
  auto cannotSpawn = [&](const Instruction &I) {
    auto *CB = dyn_cast<CallBase>(&I);
    if (!CB || !isRealCall(I))
      return true;
    auto *callee = dyn_cast<Function>(CB->getCalledOperand());
    return callee &&
           (spawnless.contains(callee) || (callee->isDeclaration() && callee->hasFnAttribute(Attribute::NoCallback)));
  };
  SmallVector<const Function *> found; // they may spawn, and so may their callers
  for (Function &F : M)
    if (spawnless.contains(&F) && !all_of(instructions(F), cannotSpawn)) {
      spawnless.erase(&F);
      found.push_back(&F);
    }
  while (!found.empty()) {
    const Function *F = found.pop_back_val();
    for (const User *U : F->users())
      if (auto *CB = dyn_cast<CallBase>(U); CB && CB->getCalledOperand() == F && spawnless.erase(CB->getFunction()))
        found.push_back(CB->getFunction());
  }
  return spawnless;
}

// Addresses of labels lead into the code in which the labels stand, and so do the tables that hold them.
static bool hasAddressesOfLabels(const Function &F) {
  return any_of(F, [](const BasicBlock &BB) { return BB.hasAddressTaken(); });
}

// A function with atomic regions that is called from inside one need not count again: it gets a version without
// regions, and calls from regions go there. (Figure 11 of paper 001 costs what plain C costs.)
static void makeInnerVersions(Module &M) {
  DenseSet<const Function *> spawnless = functionsThatCannotSpawn(M);
  MapVector<Function *, Function *> inner;
  std::vector<Function *> candidates;
  for (Function &F : M)
    if (!F.isDeclaration() && !isInterruptible(F) && spawnless.contains(&F) &&
        (F.hasFnAttribute(AtomicAttr) ||
         any_of(instructions(F), [](const Instruction &I) { return calls(I, EnterName); })))
      candidates.push_back(&F);
  const DenseSet<const Function *> definingNames = functionsThatDefineNames(M);
  erase_if(candidates, [&](const Function *F) { return hasAddressesOfLabels(*F) || definingNames.contains(F); });
  for (Function *F : candidates) {
    ValueToValueMapTy map;
    Function *G = CloneFunction(F, map);
    G->setName(F->getName() + ".atomic");
    G->setLinkage(GlobalValue::InternalLinkage);
    G->setVisibility(GlobalValue::DefaultVisibility);
    G->setComdat(nullptr);
    G->removeFnAttr(AtomicAttr);
    for (Instruction &I : make_early_inc_range(instructions(*G)))
      if (calls(I, EnterName) || calls(I, LeaveName))
        I.eraseFromParent();
    inner[F] = G;
  }
  if (inner.empty())
    return;
  DenseSet<const Function *> isInner;
  for (auto &[F, G] : inner)
    isInner.insert(G);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    AtomicDepth depth(F);
    for (BasicBlock &BB : F)
      depth.walk(BB, [&](Instruction &I, unsigned level) {
        auto *CB = dyn_cast<CallBase>(&I);
        auto *callee = CB && (level || isInner.contains(&F)) ? dyn_cast<Function>(CB->getCalledOperand()) : nullptr;
        if (callee && inner.count(callee))
          CB->setCalledFunction(inner[callee]);
      });
  }
}

// A jump leaves blocks without executing the statements at their ends. For interruptible versions see anchor.h.
static void restoreBlocksBehindJumps(Abi &abi) {
  const bool throughPointer = addressOfSetjmpIsTaken(abi.M);
  for (Function &F : abi.M) {
    if (F.hasFnAttribute(AnchoredAttr))
      continue;
    SmallVector<CallInst *> calls;
    for (Instruction &I : instructions(F))
      if (auto *call = dyn_cast<CallInst>(&I); call && mayReturnTwice(*call, throughPointer))
        calls.push_back(call);
    for (CallInst *call : calls) {
      IRBuilder<> entry(&*F.getEntryBlock().getFirstNonPHIIt()), before(call), behind(call->getNextNode());
      AllocaInst *around = entry.CreateAlloca(ArrayType::get(abi.I8, sizeof(struct ch_around)), nullptr, "around");
      around->setAlignment(Align(8));
      before.CreateCall(abi.aroundNote(), {around});
      behind.CreateCall(abi.aroundRestore(), {around})->setDebugLoc(call->getDebugLoc());
    }
  }
}

PreservedAnalyses AtomicPass::run(Module &M, ModuleAnalysisManager &) {
  Abi abi(M);
  makeInnerVersions(M);
  restoreBlocksBehindJumps(abi);
  SmallVector<CallInst *> enters, leaves;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (calls(I, EnterName))
        enters.push_back(cast<CallInst>(&I));
      else if (calls(I, LeaveName))
        leaves.push_back(cast<CallInst>(&I));
    }
  for (CallInst *enter : enters) {
    IRBuilder<> B(enter);
    addToDepth(abi, B, 1);
    enter->eraseFromParent();
  }
  for (CallInst *leave : reverse(leaves)) { // each block is split from its end, so that few instructions are moved
    leaveBefore(abi, leave);
    leave->eraseFromParent();
  }
  // A function declared atomic is one region.
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasFnAttribute(AtomicAttr))
      continue;
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    addToDepth(abi, B, 1);
    SmallVector<ReturnInst *> returns;
    for (BasicBlock &BB : F)
      if (auto *R = dyn_cast<ReturnInst>(BB.getTerminator()))
        returns.push_back(R);
    for (ReturnInst *R : returns)
      leaveBefore(abi,
                  BasicBlock::iterator(R) != R->getParent()->begin() && R->getParent()->getTerminatingMustTailCall()
                      ? static_cast<Instruction *>(R->getParent()->getTerminatingMustTailCall())
                      : R);
  }
  return PreservedAnalyses::none();
}

} // namespace charcoal
