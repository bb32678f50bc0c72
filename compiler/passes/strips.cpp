// Pass `strips`: a loop whose calls have all been inlined gives way between strips of many turns (strip mining).
//
//   takes   interruptible versions that are inlined and simplified, but not vectorised, with a yield point in each loop
//           that made calls
//   leaves  such loops as strips without a yield point, which LLVM optimises like plain C; strips of a counted loop
//           have at most 1,024 turns
//
//     loop:  %i = phi [0, %entry], [%next, %loop]      outer: %o = phi [0, %entry], [%next, %strip]
//            call @charcoal.yield()                           call @charcoal.yield()
//            …                                                %limit = %o + 1 + umin(%n - (%o + 1), 1023)
//            %next = add %i, 1                         loop:  %i = phi [%o, %outer], [%next, %loop]
//            br (%next != %n), %loop, %exit     =>            …
//                                                             %next = add %i, 1
//                                                             br (%next != %limit), %loop, %strip
//                                                      strip: br (%next != %n), %outer, %exit
//
// A yield point in a loop is a call of which LLVM knows nothing: it keeps values out of registers and the loop from
// being vectorised. The yield point at the beginning of the strip stays even if the loop has few turns, because the
// loops around it may rely on it.
//
// Other loops, such as searches, ask at the end of each turn whether to give way, and do so outside of the loop. Their
// strips end when somebody else wants to run:
//
//     loop:  %p = phi [%list, %entry], [%q, %more]     outer:  %o = phi [%list, %entry], [%q, %strip]
//            call @charcoal.yield()                    loop:   %p = phi [%o, %outer], [%q, %asking]
//            …                                                 …
//            br %found, %end, %more                            br %found, %end, %more
//     more:  br %last, %end, %loop              =>     more:   br %last, %end, %asking
//                                                      asking: br (call @charcoal.asked()), %strip, %loop
//                                                      strip:  call @charcoal.pause(); br %outer
//
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-strips
#include "strips.h"
#include "cycles.h"
#include "options.h"
#include "question.h"
#include "suspension_markers.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace charcoal {

// Turns of a loop without calls take some nanoseconds, so a strip takes some microseconds of a slice of 10 ms.
static constexpr unsigned TurnsOfStrip = 1024;
// How many operations in a row may lead to the counter or the bound of a loop.
static constexpr unsigned MostOperations = 8;

// The test at the end of a loop's turn: it goes round again while `counter predicate bound`.
struct Test {
  CmpInst::Predicate predicate = CmpInst::BAD_ICMP_PREDICATE;
  Value *counter = nullptr, *bound = nullptr;
  APInt step; // what a turn adds to the counter
};

// A call whose result depends on its arguments alone, such as one of glibc's functions that find a table. It can move
// out of the loop. Others, such as strcoll's, take longer than the checks, and values that are kept for the whole loop
// take registers that outlive a call.
static bool onlyComputes(const CallBase &CB) {
  return CB.doesNotAccessMemory() && CB.willReturn() && !isSuspendingCall(CB) && !CB.isInlineAsm();
}

// The yield points of an innermost loop in which nobody waits for somebody, and which calls nothing that looks at
// memory. There are none if the loop has one that the user wrote.
static SmallVector<CallInst *> yieldsOf(const Loop &loop) {
  SmallVector<CallInst *> yields;
  if (!loop.isInnermost())
    return {};
  for (BasicBlock *BB : loop.blocks())
    for (Instruction &I : *BB) {
      auto *CB = dyn_cast<CallBase>(&I);
      if (isYield(I) && !CB->hasFnAttr(ExplicitAttr))
        yields.push_back(cast<CallInst>(&I));
      else if (isLookAtShared(I) || (CB && !isa<IntrinsicInst>(CB) && !onlyComputes(*CB)))
        return {};
    }
  return yields;
}

// Whether everything in a turn takes a short time.
static bool hasShortTurns(const Loop &loop) {
  auto isLong = [](const Instruction &I) {
    auto *memory = dyn_cast<AnyMemIntrinsic>(&I);
    return memory ? !isa<ConstantInt>(memory->getLength()) : isa<CallBase>(I) && !isa<IntrinsicInst>(I) && !isYield(I);
  };
  return none_of(loop.blocks(), [&](const BasicBlock *BB) { return any_of(*BB, isLong); });
}

// One innermost loop.
class Strip {
public:
  Strip(Loop &loop, ScalarEvolution &evolution, AAResults &aliases, const DominatorTree &tree)
      : loop(loop), header(loop.getHeader()), latch(loop.getLoopLatch()), before(loop.getLoopPreheader()),
        evolution(evolution), aliases(aliases), tree(tree), yields(yieldsOf(loop)) {}

  // Finds out whether the loop can be changed, and how; changes nothing. A loop that may also end elsewhere mostly
  // ends early, and is not vectorised.
  bool isPossible() {
    if (!latch || !before || yields.empty() || hasOtherCycles())
      return false;
    if (hasShortTurns(loop)) {
      const unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
      isShort = most != 0 && most <= TurnsOfStrip;
      isCounted = loop.getExitingBlock() == latch && findTest();
    }
    return isShort || isCounted || asksInEachTurn();
  }

  void make() {
    if (isShort)
      return moveYield(*before->getTerminator());
    if (isCounted)
      return divide();
    ask();
  }

private:
  Loop &loop;
  BasicBlock *header, *latch, *before;
  ScalarEvolution &evolution;
  AAResults &aliases;
  const DominatorTree &tree;
  SmallVector<CallInst *> yields;
  bool isShort = false; // it never makes more turns than a strip
  bool isCounted = false;
  Test test;
  DenseMap<Value *, Value *> atStart; // what a value of a turn is when a strip begins

  // A cycle beside the header, which LLVM does not take for a loop.
  bool hasOtherCycles() const {
    SmallVector<BasicBlock *> others;
    copy_if(loop.blocks(), std::back_inserter(others), [&](BasicBlock *BB) { return BB != header; });
    return !cyclesAmong(others).empty();
  }

  // Whether no way round the loop avoids the yield points, so that a question at the end of each turn is not dearer.
  bool asksInEachTurn() const {
    return isa<BranchInst>(latch->getTerminator()) && llvm::count(successors(latch), header) == 1 &&
           any_of(yields, [&](const CallInst *yield) { return tree.dominates(yield->getParent(), latch); });
  }

  bool findTest() {
    auto *branch = dyn_cast<BranchInst>(latch->getTerminator());
    auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare)
      return false;
    test.predicate = branch->getSuccessor(0) == header ? compare->getPredicate() : compare->getInversePredicate();
    test.counter = compare->getOperand(0);
    test.bound = compare->getOperand(1);
    if (!isCounter(test.counter)) {
      std::swap(test.counter, test.bound);
      test.predicate = CmpInst::getSwappedPredicate(test.predicate);
    }
    return isCounter(test.counter) && isTowardsBound() && staysTheSame(test.bound, MostOperations);
  }

  bool isCounter(Value *V) {
    if (!evolution.isSCEVable(V->getType()) || !comesFromHeader(V, MostOperations))
      return false;
    auto *sum = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(V));
    auto *step = sum && sum->getLoop() == &loop && sum->isAffine()
                     ? dyn_cast<SCEVConstant>(sum->getStepRecurrence(evolution))
                     : nullptr;
    if (!step)
      return false;
    test.step = step->getAPInt();
    // The turns of a strip must not lead once around all values of the type.
    return !test.step.isZero() &&
           test.step.abs().ult(APInt::getSignedMaxValue(test.step.getBitWidth()).udiv(TurnsOfStrip));
  }

  // Whether each turn leads the counter nearer to the bound, so that it reaches the limit of a strip first. A counter
  // that is compared for equality does so in either direction, because it goes on through all values of its type.
  bool isTowardsBound() const {
    switch (test.predicate) {
    case CmpInst::ICMP_NE:
      return true;
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLT:
      return test.step.isStrictlyPositive();
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_SGT:
      return test.step.isNegative();
    default:
      return false;
    }
  }

  static bool isSimple(const Instruction &I) {
    if (auto *binary = dyn_cast<BinaryOperator>(&I))
      return !binary->isIntDivRem();
    return isa<CastInst>(I) || isa<GetElementPtrInst>(I);
  }

  // Whether the value can be computed before a turn from those with which the turn begins.
  bool comesFromHeader(Value *V, unsigned depth) const {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !loop.contains(I))
      return true;
    if (isa<PHINode>(I))
      return I->getParent() == header;
    return depth && isSimple(*I) && all_of(I->operands(), [&](Value *one) { return comesFromHeader(one, depth - 1); });
  }

  // Whether the value is the same in each turn of a strip, in which nobody else runs.
  bool staysTheSame(Value *V, unsigned depth) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !loop.contains(I))
      return true;
    auto operandsStay = [&] {
      return depth && all_of(I->operands(), [&](Value *one) { return staysTheSame(one, depth - 1); });
    };
    if (isSimple(*I))
      return operandsStay();
    // Each turn reads it, so it may be read before.
    auto *load = dyn_cast<LoadInst>(I);
    return load && (load->getParent() == header || load->getParent() == latch) && operandsStay() &&
           !isWritten(MemoryLocation::get(load));
  }

  bool isWritten(const MemoryLocation &place) {
    for (BasicBlock *BB : loop.blocks())
      for (Instruction &I : *BB)
        if (I.mayWriteToMemory() && !is_contained(yields, &I) && isModSet(aliases.getModRefInfo(&I, place)))
          return true;
    return false;
  }

  // The value at the beginning of a strip, computed there.
  Value *startOf(Value *V, IRBuilder<> &B) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !loop.contains(I))
      return V;
    if (Value *known = atStart.lookup(V))
      return known;
    Instruction *copy = I->clone();
    for (Use &operand : copy->operands())
      operand = startOf(operand, B);
    B.Insert(copy, I->getName() + ".start");
    return atStart[V] = copy;
  }

  void moveYield(Instruction &to) {
    yields.front()->moveBefore(to.getIterator());
    for (CallInst *other : drop_begin(yields))
      other->eraseFromParent();
  }

  // The value at which the counter ends a strip: the bound, or what it is so many turns later if it is not there then.
  Value *limitOf(Value *first, Value *bound, IRBuilder<> &B) {
    Type *number = IntegerType::get(B.getContext(), test.step.getBitWidth());
    const bool isPointer = first->getType()->isPointerTy(), isDown = test.step.isNegative();
    auto asNumber = [&](Value *V) { return isPointer ? B.CreatePtrToInt(V, number) : V; };
    Value *from = asNumber(first), *to = asNumber(bound);
    Value *way = isDown ? B.CreateSub(from, to) : B.CreateSub(to, from);
    const APInt most = test.step.abs() * (TurnsOfStrip - 1); // the first test is at the end of the first turn
    Value *part = B.CreateBinaryIntrinsic(Intrinsic::umin, way, ConstantInt::get(number, most));
    if (test.predicate == CmpInst::ICMP_NE && !test.step.abs().isOne()) // a value that the counter really takes
      part = B.CreateSub(part, B.CreateURem(part, ConstantInt::get(number, test.step.abs())));
    if (isDown)
      part = B.CreateNeg(part);
    Value *limit = isPointer ? B.CreatePtrAdd(first, part) : B.CreateAdd(from, part, "limit");
    if (test.predicate == CmpInst::ICMP_NE)
      return limit;
    return B.CreateSelect(B.CreateICmp(test.predicate, first, bound), limit, bound);
  }

  // Makes the block in which each strip begins, and returns its jump into the loop. `strip` is where a strip ends.
  BranchInst *addOuter(BasicBlock *strip) {
    BasicBlock *outer =
        BasicBlock::Create(header->getContext(), header->getName() + ".outer", header->getParent(), header);
    IRBuilder<> B(outer);
    B.SetCurrentDebugLocation(latch->getTerminator()->getDebugLoc());
    for (PHINode &value : header->phis()) {
      PHINode *start = B.CreatePHI(value.getType(), 2, value.getName() + ".start");
      start->addIncoming(value.getIncomingValueForBlock(before), before);
      start->addIncoming(value.getIncomingValueForBlock(latch), strip);
      const int index = value.getBasicBlockIndex(before);
      value.setIncomingValue(index, start);
      value.setIncomingBlock(index, outer);
      atStart[&value] = start;
    }
    before->getTerminator()->replaceSuccessorWith(header, outer);
    return B.CreateBr(header);
  }

  BasicBlock *addBlock(const Twine &suffix) {
    return BasicBlock::Create(header->getContext(), header->getName() + suffix, header->getParent(),
                              latch->getNextNode());
  }

  // A loop that is not counted asks at the end of each turn whether it is to give way.
  void ask() {
    Module &M = *header->getModule();
    BasicBlock *strip = addBlock(".strip"), *asking = addBlock(".asking");
    BasicBlock *outer = addOuter(strip)->getParent();
    const DebugLoc place = yields.front()->getDebugLoc(); // before it moves
    moveYield(*before->getTerminator());

    latch->getTerminator()->replaceSuccessorWith(header, asking);
    header->replacePhiUsesWith(latch, asking);
    IRBuilder<> B(asking);
    B.SetCurrentDebugLocation(place);
    B.CreateCondBr(B.CreateCall(askedFunction(M)), strip, header,
                   MDBuilder(M.getContext()).createUnlikelyBranchWeights());
    B.SetInsertPoint(strip);
    B.CreateCall(markerFunction(M, PauseName))->setDoesNotThrow();
    B.CreateBr(outer);
  }

  void divide() {
    auto *branch = cast<BranchInst>(latch->getTerminator());
    BasicBlock *exit = branch->getSuccessor(branch->getSuccessor(0) == header ? 1 : 0);
    BasicBlock *strip = addBlock(".strip");
    BranchInst *enter = addOuter(strip);
    BasicBlock *outer = enter->getParent();
    moveYield(*enter);
    IRBuilder<> B(enter);
    B.SetCurrentDebugLocation(branch->getDebugLoc());
    Value *bound = startOf(test.bound, B), *limit = limitOf(startOf(test.counter, B), bound, B);

    B.SetInsertPoint(branch);
    branch->setCondition(B.CreateICmp(test.predicate, test.counter, limit));
    branch->setSuccessor(0, header);
    branch->setSuccessor(1, strip);
    branch->setMetadata(LLVMContext::MD_prof, nullptr);
    B.SetInsertPoint(strip);
    B.CreateCondBr(B.CreateICmp(test.predicate, test.counter, bound), outer, exit);
    for (PHINode &value : exit->phis())
      for (unsigned i = 0; i < value.getNumIncomingValues(); ++i)
        if (value.getIncomingBlock(i) == latch)
          value.setIncomingBlock(i, strip);
  }
};

// What the yield points have kept LLVM from: to keep in registers what the loops read, and to see what they do.
static void optimiseAgain(Function &F, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  LoopPassManager loops;
  loops.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  LoopPassManager counted;
  counted.addPass(LoopIdiomRecognizePass());
  counted.addPass(IndVarSimplifyPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(counted)));
  analyses.invalidate(F, passes.run(F, analyses));
}

static void makeStrips(Function &F, FunctionAnalysisManager &analyses) {
  if (none_of(analyses.getResult<LoopAnalysis>(F).getLoopsInPreorder(),
              [](const Loop *loop) { return !yieldsOf(*loop).empty(); }))
    return;
  analyses.invalidate(F, LoopSimplifyPass().run(F, analyses));
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(F);
  auto &aliases = analyses.getResult<AAManager>(F);
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(F);
  std::vector<Strip> strips;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (Strip strip(*loop, evolution, aliases, tree); strip.isPossible())
      strips.push_back(std::move(strip));
  if (strips.empty())
    return;
  for (Strip &strip : strips)
    strip.make();
  analyses.invalidate(F, PreservedAnalyses::none());
  optimiseAgain(F, analyses);
}

PreservedAnalyses StripsPass::run(Module &M, ModuleAnalysisManager &modules) {
  if (options().stress) // each yield point is to be tried
    return PreservedAnalyses::all();
  FunctionAnalysisManager &analyses = modules.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function &F : M)
    if (isInterruptible(F) && !F.hasOptNone() && !F.hasMinSize())
      makeStrips(F, analyses);
  return PreservedAnalyses::none();
}

} // namespace charcoal
