// Part of `split`: exceptions of C++. No exception leaves an interruptible version by the unwinder, which would look
// for its handler among the callers on the native stack, where a resumed activation has none. There it is a status,
// CH_THROWN, which each function returns to its caller. Inside a function the unwinder finds the handler, because it
// knows the types.
//
//     invoke void @g.int() #s                  {s, v} = invoke @g.int() unwind %caught
//         to label %next unwind label %pad     br s, %cold, %next
//                                     cold:    br (s == CH_THROWN), %rethrow, %suspending
//                                     caught:  landingpad catch-all; ch_tls.entry = the exception; br %rethrow
//                                     rethrow: invoke @ch_throw_here() to unreachable unwind %pad
//     call void @h.int() #s                    as before, but rethrow: ret {CH_THROWN, poison}
//     invoke void @plain() … unwind %pad       as it is
//     call void @plain()                       invoke @plain() … unwind %passes; passes: as `caught`
//     pad: landingpad cleanup                  pad: landingpad cleanup catch-all, so that the search ends here
//     resume %exception                        ch_tls.entry = the exception; ret {CH_THROWN, poison}
//
// The runtime resumes a caller whose call has thrown at its point, and says so by CH_POINT_THROWN. Whether plain code
// is called is not known everywhere, so also calls of interruptible versions have a landing pad.
#include "splitter.h"
#include "suspension_markers.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace charcoal {

// i1 charcoal.thrown(): whether the call before has thrown. It stands between a point and the branch on it, until the
// edges of the point are made.
static constexpr StringLiteral ThrownName = "charcoal.thrown";

static BasicBlock::iterator markerAfter(BasicBlock &after) {
  return find_if(after, [](const Instruction &I) { return calls(I, ThrownName); });
}

// A landing pad that catches everything, and notes the exception as that which the call has thrown.
static void catchAll(Abi &abi, BasicBlock &pad) {
  IRBuilder<> B(&pad);
  LandingPadInst *caught = B.CreateLandingPad(StructType::get(abi.Ptr, abi.I32), 1);
  caught->addClause(ConstantPointerNull::get(abi.Ptr));
  B.CreateAlignedStore(B.CreateExtractValue(caught, 0), abi.tlsField(B, offsetof(struct ch_tls, entry)), Align(8));
}

// Values that differ by the way to a landing pad pass through memory, and nothing but the landing pad is in its block.
// So other code need not know that nothing can stand before it.
static void isolate(BasicBlock &pad) {
  for (PHINode &phi : make_early_inc_range(pad.phis()))
    DemotePHIToStack(&phi);
  LandingPadInst *caught = pad.getLandingPadInst();
  if (none_of(seq(caught->getNumClauses()),
              [&](unsigned i) { return caught->isCatch(i) && isa<ConstantPointerNull>(caught->getClause(i)); }))
    caught->addClause(ConstantPointerNull::get(cast<PointerType>(caught->getType()->getStructElementType(0))));
  pad.splitBasicBlock(std::next(caught->getIterator()), "caught");
}

// The result of an invoke becomes the value of a block behind it, so that it can be stored there.
static void nameResult(InvokeInst &invoke) {
  if (invoke.use_empty())
    return;
  BasicBlock *from = invoke.getParent(), *next = invoke.getNormalDest();
  auto *behind = BasicBlock::Create(invoke.getContext(), "behind", from->getParent(), next);
  PHINode *result = PHINode::Create(invoke.getType(), 1, invoke.getName(), behind);
  invoke.replaceAllUsesWith(result);
  result->addIncoming(&invoke, from);
  BranchInst::Create(next, behind);
  invoke.setNormalDest(behind);
  next->replacePhiUsesWith(from, behind);
}

static bool mayThrow(const CallInst &call) {
  return !call.doesNotThrow() && !isa<IntrinsicInst>(call) && !call.isInlineAsm() && !call.isMustTailCall();
}

// Makes an exception that leaves the function a return whose status is CH_THROWN.
void Splitter::returnThrown(IRBuilder<> &B) {
  throwing.insert(result->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(PoisonValue::get(result)));
}

// Where all calls go that have thrown, and have no landing pad.
BasicBlock *Splitter::leaving() {
  if (!leave) {
    leave = BasicBlock::Create(abi.C, "thrown", &F);
    IRBuilder<> B(leave);
    B.SetCurrentDebugLocation(atEntry());
    returnThrown(B);
  }
  return leave;
}

// Puts a marker behind the call, which is the last instruction of its block but for a branch.
void Splitter::markThrown(CallInst *call, BasicBlock *otherwise) {
  auto *branch = cast<BranchInst>(call->getParent()->getTerminator());
  IRBuilder<> B(branch);
  B.SetCurrentDebugLocation(call->getDebugLoc());
  Value *thrown = B.CreateCall(M.getOrInsertFunction(ThrownName, Type::getInt1Ty(abi.C)));
  B.CreateCondBr(thrown, otherwise, branch->getSuccessor(0), MDBuilder(abi.C).createUnlikelyBranchWeights());
  branch->eraseFromParent();
}

// A suspending call with a landing pad, where the exception is thrown anew.
void Splitter::lowerSuspending(InvokeInst *invoke) {
  BasicBlock *pad = invoke->getUnwindDest();
  CallInst *call = changeToCall(invoke);
  if (givesWay(*call))
    return;
  auto *again = BasicBlock::Create(abi.C, "rethrow", &F), *never = BasicBlock::Create(abi.C, "never", &F);
  IRBuilder<> B(again);
  B.SetCurrentDebugLocation(call->getDebugLoc());
  B.CreateInvoke(abi.throwHere(), never, pad);
  new UnreachableInst(abi.C, never);
  markThrown(call, again);
}

// One without.
void Splitter::lowerSuspending(CallInst *call) {
  if (givesWay(*call))
    return;
  call->getParent()->splitBasicBlock(std::next(call->getIterator()));
  markThrown(call, leaving());
}

void Splitter::lowerPlain(CallInst *call) {
  if (!passes) {
    passes = BasicBlock::Create(abi.C, "passes", &F);
    catchAll(abi, *passes);
    BranchInst::Create(leaving(), passes);
  }
  BasicBlock *before = call->getParent();
  changeToInvokeAndSplitBasicBlock(call, passes);
  nameResult(cast<InvokeInst>(*before->getTerminator()));
}

void Splitter::lowerResume(ResumeInst *resume) {
  IRBuilder<> B(resume);
  Value *exception = B.CreateExtractValue(resume->getValue(), 0);
  B.CreateAlignedStore(exception, abi.tlsField(B, offsetof(struct ch_tls, entry)), Align(8));
  returnThrown(B);
  resume->eraseFromParent();
}

// Takes place before the calls become points: the ways on which exceptions go belong to the function's graph.
void Splitter::lowerExceptions() {
  if (!abi.exceptions)
    return;
  passesExceptions = true;
  SmallVector<BasicBlock *> pads;
  SmallVector<ResumeInst *> resumes;
  SmallVector<InvokeInst *> suspendingInvokes, plainInvokes;
  SmallVector<CallInst *> suspending, plain;
  for (BasicBlock &BB : F) {
    if (BB.isLandingPad())
      pads.push_back(&BB);
    if (auto *resume = dyn_cast<ResumeInst>(BB.getTerminator()))
      resumes.push_back(resume);
    if (auto *invoke = dyn_cast<InvokeInst>(BB.getTerminator()))
      (isSuspendingCall(*invoke) ? suspendingInvokes : plainInvokes).push_back(invoke);
    for (Instruction &I : BB)
      if (auto *call = dyn_cast<CallInst>(&I); call && mayThrow(*call) && !tailCalls.contains(call))
        (isSuspendingCall(I) ? suspending : plain).push_back(call);
  }
  for (BasicBlock *pad : pads)
    isolate(*pad);
  for (ResumeInst *resume : resumes)
    lowerResume(resume);
  for (InvokeInst *invoke : plainInvokes)
    nameResult(*invoke);
  for (InvokeInst *invoke : suspendingInvokes)
    lowerSuspending(invoke);
  for (CallInst *call : suspending)
    lowerSuspending(call);
  for (CallInst *call : plain)
    lowerPlain(call);
  removeUnreachableBlocks(F); // landing pads of calls that only give way
  if (!(suspending.empty() && plain.empty()))
    setPersonality();
}

void Splitter::setPersonality() {
  if (!F.hasPersonalityFn())
    F.setPersonalityFn(cast<Constant>(
        M.getOrInsertFunction("__gxx_personality_v0", FunctionType::get(abi.I32, /*isVarArg=*/true)).getCallee()));
}

// In a function with an anchor each call but the anchor's own stays a call, which has a landing pad for what plain code
// throws. There are no other landing pads.
void Splitter::passExceptionsOn(CallInst *call) {
  if (!abi.exceptions || !mayThrow(*call) || call->canReturnTwice())
    return;
  lowerPlain(call);
  setPersonality();
}

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

bool Splitter::throwsAt(const Point &P) const { return passesExceptions && markerAfter(*P.after) != P.after->end(); }

// Makes the ways from a call that throws, which replace the marker behind it. Everything else has been made, and has
// taken them for the way on which the call returns:
//
//     after: what is done after the call      =>    after:  the same; br %next
//            br %thrown, %rethrow, %next            thrown: the same; br %rethrow
void Splitter::connectThrown(Point &P, Value *status, BasicBlock *restored) {
  BasicBlock &after = *P.after;
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
    auto marker = markerAfter(*BB);
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
  for (PHINode &phi : thrown->phis()) {
    const int way = phi.getBasicBlockIndex(P.before);
    auto *I = dyn_cast<Instruction>(phi.getIncomingValue(way));
    if (I && (I == P.at || I->getParent() == returned))
      phi.setIncomingValue(way, PoisonValue::get(phi.getType())); // there is no result
    phi.setIncomingBlock(way, cold);
    phi.addIncoming(phi.getIncomingValue(way), caught);
  }
  repairUses(after, *thrown, map);
}

} // namespace charcoal
