// Part of `split`: the ways on which exceptions of C++ leave the calls of interruptible versions
// (split_exceptions.cpp).
#include "splitter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace charcoal {

// The values that a block defines get another definition in a block that takes its place on some ways.
static void repairUses(const BasicBlock &of, BasicBlock &other, const ValueToValueMapTy &others) {
  for (const Instruction &I : of) {
    SmallVector<Use *> outside;
    for (const Use &U : I.uses())
      if (BasicBlock *BB = blockOfUse(U); BB != &of && BB != &other)
        outside.push_back(const_cast<Use *>(&U));
    if (outside.empty())
      continue;
    SSAUpdater values;
    values.Initialize(I.getType(), I.getName());
    values.AddAvailableValue(const_cast<BasicBlock *>(&of), const_cast<Instruction *>(&I));
    values.AddAvailableValue(&other, others.lookup(&I));
    for (Use *U : outside)
      values.RewriteUse(*U);
  }
}

// Makes the ways from a call that throws, which replace the marker behind it. Everything else has been made, and has
// taken them for the way on which the call returns:
//
//     after: what is done after the call      =>    after:  the same; br %next
//            br %thrown, %rethrow, %next            thrown: the same; br %rethrow
// The result is the block `thrown`.
BasicBlock *Splitter::connectThrown(unsigned k) {
  Point &P = points[k];
  BasicBlock &after = *P.after, *restored = restoredBlocks[k];
  Value *status = statuses[k];
  auto *choice = cast<BranchInst>(after.getTerminator());
  BasicBlock *rethrow = choice->getSuccessor(0), *next = choice->getSuccessor(1);
  ValueToValueMapTy map;
  BasicBlock *thrown = CloneBasicBlock(&after, map, ".thrown", &F);
  for (Instruction &I : *thrown) {
    RemapInstruction(&I, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    I.dropDbgRecords(); // among them the label of the point, of which there is one
  }
  for (PHINode &phi : rethrow->phis()) {
    const int way = phi.getBasicBlockIndex(&after);
    if (Value *other = map.lookup(phi.getIncomingValue(way)))
      phi.setIncomingValue(way, other);
    phi.setIncomingBlock(way, thrown);
  }
  for (auto [BB, to] : {std::pair(&after, next), std::pair(thrown, rethrow)}) {
    BB->getTerminator()->eraseFromParent();
    BranchInst::Create(to, BB)->setDebugLoc(P.at->getDebugLoc());
    auto marker = thrownMarkerAfter(*BB);
    marker->eraseFromParent();
  }
  MDNode *unlikely = MDBuilder(abi.C).createUnlikelyBranchWeights();
  IRBuilder<> R(restored->getTerminator());
  Value *has = thrownPlace ? R.CreateLoad(restoredThrown->getType(), thrownPlace) : restoredThrown;
  R.CreateCondBr(has, thrown, &after, unlikely);
  restored->getTerminator()->eraseFromParent();

  auto *caught = BasicBlock::Create(abi.C, "caught", &F), *cold = BasicBlock::Create(abi.C, "cold", &F);
  catchAll(abi, *caught);
  BranchInst::Create(thrown, caught);
  const bool isStatus = status == P.at; // the call has no other result
  BasicBlock *returned = changeToInvokeAndSplitBasicBlock(cast<CallInst>(P.at), caught);
  P.at = returned->getSinglePredecessor()->getTerminator();
  auto *branch = cast<BranchInst>(returned->getTerminator());
  IRBuilder<> B(cold);
  B.SetCurrentDebugLocation(branch->getDebugLoc());
  B.CreateCondBr(B.CreateICmpEQ(isStatus ? P.at : status, B.getInt32(CH_THROWN)), thrown, branch->getSuccessor(0));
  branch->setSuccessor(0, cold);
  for (PHINode &phi : make_early_inc_range(thrown->phis())) {
    const int way = phi.getBasicBlockIndex(P.before);
    auto *I = dyn_cast<Instruction>(phi.getIncomingValue(way));
    if (I && (I == P.at || I->getParent() == returned)) { // there is no result
      phi.replaceAllUsesWith(PoisonValue::get(phi.getType()));
      phi.eraseFromParent();
      continue;
    }
    phi.setIncomingBlock(way, cold);
    phi.addIncoming(phi.getIncomingValue(way), caught);
  }
  repairUses(after, *thrown, map);
  return thrown;
}

// Whether nothing is done on the way from the call to where the exception goes on, so that no way of its own is needed.
static bool onlyGoesOn(BasicBlock &thrown) {
  for (Instruction &I : make_early_inc_range(reverse(thrown))) {
    auto *store = dyn_cast<StoreInst>(&I);
    if (isInstructionTriviallyDead(&I) ||
        (store && store->isSimple() && isa<UndefValue>(store->getValueOperand()))) // of the result
      I.eraseFromParent();
  }
  return thrown.size() == 1 && thrown.getSingleSuccessor()->phis().empty();
}

// Takes the point's ways away again. The landing pad is that of all points whose exceptions go to the same place.
void Splitter::dropWays(unsigned k, BasicBlock *pad) {
  auto *invoke = cast<InvokeInst>(points[k].at);
  auto *branch = cast<BranchInst>(invoke->getNormalDest()->getTerminator());
  auto *choice = cast<BranchInst>(restoredBlocks[k]->getTerminator());
  BasicBlock *caught = invoke->getUnwindDest(), *cold = branch->getSuccessor(0), *thrown = choice->getSuccessor(0);
  branch->setSuccessor(0, cold->getTerminator()->getSuccessor(1));
  invoke->setUnwindDest(pad);
  ReplaceInstWithInst(choice, BranchInst::Create(choice->getSuccessor(1)));
  DeleteDeadBlocks({cold, caught, thrown});
}

// The ways from calls that throw, where nothing is done on them. All points have them together, and choose by the
// number of the point where there is more than one landing pad:
//
//     counted:  br (status of %why == CH_THROWN), %choose, %suspend
//     dispatch: br (the point has thrown), %choose, %returned;  returned: switch (point) …
//     choose:   switch (point) …: %rethrow of the landing pad
//     caught:   landingpad catch-all; ch_tls.entry = the exception; br %rethrow
void Splitter::shareWays(const Rethrows &rethrows) {
  for (auto &[rethrow, alike] : rethrows) {
    BasicBlock *pad = rethrow == leave ? passing() : nullptr;
    if (!pad) {
      pad = BasicBlock::Create(abi.C, "caught", &F);
      catchAll(abi, *pad);
      BranchInst::Create(rethrow, pad);
    }
    for (unsigned k : alike)
      dropWays(k, pad);
  }
  BasicBlock *dispatch = restore->getParent();
  auto *points = cast<SwitchInst>(dispatch->getTerminator());
  BasicBlock *returned = dispatch->splitBasicBlock(points, "returned");
  BasicBlock *choose = rethrows.front().first;
  IRBuilder<> S(counted->getTerminator()), D(dispatch->getTerminator());
  S.SetCurrentDebugLocation(atEntry());
  D.SetCurrentDebugLocation(atEntry());
  if (rethrows.size() > 1) {
    choose = BasicBlock::Create(abi.C, "choose", &F);
    IRBuilder<> C(choose);
    C.SetCurrentDebugLocation(atEntry());
    PHINode *point = C.CreatePHI(abi.I32, 2);
    point->addIncoming(S.CreateUDiv(why, S.getInt32(CH_WHY_POINT)), counted); // CH_POINT_OF
    point->addIncoming(points->getCondition(), dispatch);
    SwitchInst *pads = C.CreateSwitch(point, rethrows.front().first);
    for (auto &[rethrow, alike] : drop_begin(rethrows))
      for (unsigned k : alike)
        pads->addCase(C.getInt32(k + 1), rethrow);
  }
  MDNode *unlikely = MDBuilder(abi.C).createUnlikelyBranchWeights();
  Value *status = S.CreateURem(why, S.getInt32(CH_WHY_POINT)); // CH_STATUS_OF
  S.CreateCondBr(S.CreateICmpEQ(status, S.getInt32(CH_THROWN)), choose, counted->getSingleSuccessor(), unlikely);
  counted->getTerminator()->eraseFromParent();
  D.CreateCondBr(restoredThrown, choose, returned, unlikely);
  dispatch->getTerminator()->eraseFromParent();
}

// Behind a landing pad that is reached from a call and from the dispatch, what the dispatch has loaded is not known on
// the way from the call. By then it has been stored, so it is loaded on that way, too.
void Splitter::loadWhereCounted() {
  DominatorTree dominators(F);
  for (Instruction &I : *restore->getParent()) {
    SmallVector<Use *> lost;
    for (Use &U : I.uses())
      if (isa<LoadInst>(I) && !dominators.dominates(&I, U))
        lost.push_back(&U);
    if (lost.empty())
      continue;
    Instruction *again = I.clone();
    again->insertBefore(counted->getTerminator()->getIterator());
    SSAUpdater values;
    values.Initialize(I.getType(), I.getName());
    values.AddAvailableValue(I.getParent(), &I);
    values.AddAvailableValue(counted, again);
    for (Use *U : lost)
      values.RewriteUse(*U);
  }
}

// Takes place when everything else has been made.
void Splitter::connectThrown() {
  SmallVector<std::pair<unsigned, BasicBlock *>> ways;
  for (unsigned k = 0; k < points.size(); ++k)
    if (throwsAt(points[k]))
      ways.push_back({k, connectThrown(k)});
  if (!counted)
    return;
  Rethrows rethrows;
  for (auto [k, thrown] : ways)
    if (onlyGoesOn(*thrown))
      rethrows[thrown->getSingleSuccessor()].push_back(k);
  if (rethrows.empty())
    return;
  shareWays(rethrows);
  loadWhereCounted();
}

} // namespace charcoal
