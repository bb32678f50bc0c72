// Part of `split`: resume points. Each call that may suspend becomes a point: its status is tested, one edge leads from
// it to the suspension, and another from the resumption to the code after it.
#include "splitter.h"
#include "addresses.h"
#include "async.h"
#include "suspension_markers.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace charcoal {

// Each point gets a block of its own after it. The edges to suspension and from resumption come later (connect), so
// that the analyses see the plain function.
void Splitter::makePoints() {
  MDNode *unlikely = MDBuilder(abi.C).createUnlikelyBranchWeights();
  // Each block is split from its end, so that few instructions are moved.
  DenseMap<CallInst *, BasicBlock *> behind;
  for (CallInst *old : reverse(calls))
    behind[old] = old->getParent()->splitBasicBlock(std::next(old->getIterator()));
  for (CallInst *old : calls) {
    BasicBlock *before = old->getParent();
    BasicBlock *after = behind[old];
    after->setName("after");
    before->getTerminator()->eraseFromParent();
    IRBuilder<> B(abi.C);
    Instruction *at = old;
    PHINode *value = nullptr;
    Value *status;
    if (isSuspendingCall(*old) && !givesWay(*old)) {
      CallInst *call = newCall(old);
      B.SetInsertPoint(before);
      B.SetCurrentDebugLocation(old->getDebugLoc());
      status = abi.status(B, call);
      if (!old->getType()->isVoidTy() && !old->use_empty()) {
        value = PHINode::Create(old->getType(), 2, old->getName(), after->begin());
        value->addIncoming(B.CreateExtractValue(call, 1), before);
        old->replaceAllUsesWith(value);
      }
      at = call;
      if (isAsync(*old)) {
        Value *scope = asyncScope(*old);
        old->eraseFromParent();
        makeAsyncPoint(call, status, scope, after);
        continue;
      }
      old->eraseFromParent();
      B.CreateCondBr(B.CreateIsNotNull(status), after, after, unlikely); // the first edge will lead to suspension
    } else if (isYield(*old)) {
      B.SetInsertPoint(old);
      Value *attention = B.CreateIsNotNull(abi.loadAttention(B));
      B.SetInsertPoint(before);
      B.CreateCondBr(attention, after, after, unlikely);
      status = B.getInt32(CH_PAUSED);
    } else {
      B.SetInsertPoint(before);
      B.CreateBr(after);
      status = B.getInt32(givesWay(*old) ? CH_YIELDED : CH_PAUSED);
    }
    points.push_back({at, before, after});
    statuses.push_back(status);
    results.push_back(value);
    resultPhis.insert(value);
  }
}

// If the body has blocked it becomes a branch, and the function goes on after the statement. If it has paused the
// function pauses as well, and goes on after the statement when it is resumed.
void Splitter::makeAsyncPoint(CallInst *call, Value *status, Value *scope, BasicBlock *after) {
  BasicBlock *before = call->getParent();
  auto *stopped = BasicBlock::Create(abi.C, "async.stopped", &F);
  auto *blocked = BasicBlock::Create(abi.C, "async.blocked", &F);
  auto *paused = BasicBlock::Create(abi.C, "async.paused", &F);
  auto *resumed = BasicBlock::Create(abi.C, "async.resumed", &F);
  IRBuilder<> B(before);
  B.SetCurrentDebugLocation(call->getDebugLoc());
  B.CreateCondBr(B.CreateIsNotNull(status), stopped, after, MDBuilder(abi.C).createUnlikelyBranchWeights());
  B.SetInsertPoint(stopped);
  B.CreateCondBr(B.CreateICmpEQ(status, B.getInt32(CH_BLOCKED)), blocked, paused);
  B.SetInsertPoint(blocked);
  B.CreateCall(abi.asyncBranch(), {scope});
  B.CreateBr(after);
  B.SetInsertPoint(paused);
  B.CreateCall(abi.asyncPause());
  B.CreateBr(resumed); // will lead to suspension
  B.SetInsertPoint(resumed);
  B.CreateCall(abi.asyncResumed(), {scope});
  B.CreateBr(after);
  points.push_back({call, paused, resumed});
  statuses.push_back(status); // CH_PAUSED, or CH_JUMPED if a jump leaves the statement
  results.push_back(nullptr);
}

// Replaces each of the uses by what make(where) builds just before it. Several edges from one block to a phi count as
// one use, because they must bring the same value.
static void replaceUses(ArrayRef<Use *> uses, function_ref<Value *(Instruction *)> make) {
  DenseMap<std::pair<PHINode *, BasicBlock *>, Value *> made;
  for (Use *U : uses) {
    auto *I = cast<Instruction>(U->getUser());
    if (auto *phi = dyn_cast<PHINode>(I)) {
      BasicBlock *from = phi->getIncomingBlock(*U);
      Value *&value = made[{phi, from}];
      if (!value)
        value = make(from->getTerminator());
      U->set(value);
    } else {
      U->set(make(I));
    }
  }
}

// Address computations that cross a point are repeated where they are used.
void Splitter::repeatAddresses(const CrossingValues &crossing) {
  SmallVector<GetElementPtrInst *> work;
  for (const CrossingValues::Value &V : crossing.values)
    if (isRepeatable(V.value))
      work.push_back(cast<GetElementPtrInst>(V.value));
  for (GetElementPtrInst *G : work)
    repeatAddress(G);
}

void Splitter::repeatAddress(GetElementPtrInst *G) {
  APInt offset(DL.getIndexTypeSizeInBits(G->getType()), 0);
  Value *root = G->stripAndAccumulateConstantOffsets(DL, offset, true);
  bool isInBounds = true; // only if each step stays inside, because such an address outside would be poison
  for (Value *V = G; V != root; V = cast<GetElementPtrInst>(V)->getPointerOperand())
    isInBounds &= cast<GetElementPtrInst>(V)->isInBounds();
  SmallVector<Use *> uses;
  for (Use &U : G->uses())
    uses.push_back(&U);
  replaceUses(uses, [&](Instruction *where) {
    IRBuilder<> B(where);
    return B.CreatePtrAdd(root, B.getInt(offset), "", isInBounds ? GEPNoWrapFlags::inBounds() : GEPNoWrapFlags::none());
  });
  G->eraseFromParent();
}

// If this is one cheap operation, returns its only operand that is not constant; otherwise null.
static Value *sourceOfCheap(const Instruction &I) {
  if (!(isa<BinaryOperator>(I) || isa<CastInst>(I) || isa<GetElementPtrInst>(I)) || I.isIntDivRem() ||
      I.getType()->isVectorTy() || I.getType()->isFloatingPointTy())
    return nullptr;
  Value *source = nullptr;
  for (Value *operand : I.operands())
    if (!isa<Constant>(operand)) {
      if (source)
        return nullptr;
      source = operand;
    }
  return source;
}

// Whether a weak function is there is asked where the answer is used: the optimiser moves the question out of loops
// that ask it only to report an error, and then it is asked, and the answer kept, each time the loop is entered.
void Splitter::repeatQuestions() {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (!isa<ICmpInst>(I) || !isa<Constant>(I.getOperand(0)) || !isa<Constant>(I.getOperand(1)))
      continue;
    SmallVector<Use *> uses;
    for (Use &U : I.uses())
      if (blockOfUse(U) != I.getParent())
        uses.push_back(&U);
    replaceUses(uses, [&](Instruction *where) {
      Instruction *again = I.clone();
      again->insertBefore(where->getIterator());
      return again;
    });
    if (I.use_empty())
      I.eraseFromParent();
  }
}

// The result of one operation with constants needs no slot, and is computed anew where it is used, if its operand has a
// slot anyway. This is so if the operand crosses some point itself, or if one slot for it replaces several others.
void Splitter::repeatCheap() {
  if (F.hasFnAttribute(Attribute::OptimizeNone))
    return;
  repeatQuestions();
  CrossingValues crossing(F, points);
  DenseMap<const Value *, unsigned> slots; // 2 for a slot of the value's own, 1 for each that it would save
  for (const CrossingValues::Value &V : crossing.values) {
    slots[V.value] += 2;
    if (auto *I = dyn_cast<Instruction>(V.value))
      if (Value *source = sourceOfCheap(*I))
        ++slots[source];
  }
  for (const CrossingValues::Value &V : crossing.values) {
    auto *I = dyn_cast<Instruction>(V.value);
    Value *source = I ? sourceOfCheap(*I) : nullptr;
    if (!source || isa<AllocaInst>(source) || slots.lookup(source) < 2)
      continue;
    SmallVector<Use *> uses;
    for (Use &U : I->uses())
      if (crossing.isReloaded(V, blockOfUse(U)))
        uses.push_back(&U);
    replaceUses(uses, [&](Instruction *where) {
      Instruction *again = I->clone();
      again->insertBefore(where->getIterator());
      return again;
    });
  }
}

static bool isYieldPoint(const Value &status) {
  auto *known = dyn_cast<ConstantInt>(&status);
  return known && known->getZExtValue() == CH_PAUSED;
}

// How often a resumption may go on at each point, so that the likely ones are asked for first: as often as the point is
// passed, and at yield points seldom, unless the program asks to give way. The first weight is that of an entry that is
// lost, or of the beginning in a kept frame.
MDNode *Splitter::weightsOfPoints() const {
  constexpr unsigned seldom = 6;
  uint64_t most = 1;
  for (const Point &P : points)
    most = std::max(most, P.frequency);
  const unsigned excess = std::max(0, int(Log2_64(most)) - 30);
  SmallVector<uint32_t> weights(1, 1);
  for (auto [P, status] : zip_equal(points, statuses))
    weights.push_back(std::max<uint64_t>(P.frequency >> excess >> (isYieldPoint(*status) ? seldom : 0), 1));
  return MDBuilder(abi.C).createBranchWeights(weights);
}

// Makes the edges before -> suspending -> (suspend) and dispatch -> restored -> after. Only the dispatch cannot be
// reached yet.
void Splitter::connect() {
  // For code that is not optimised, LLVM 22 forgets to note the target of a jump by a table, with which speculative
  // load hardening then compares the place where it has come to.
  if (F.hasFnAttribute(Attribute::SpeculativeLoadHardening) && F.hasFnAttribute(Attribute::OptimizeNone))
    F.addFnAttr("no-jump-tables", "true");
  auto *dispatch = BasicBlock::Create(abi.C, "dispatch", &F);
  auto *lost = BasicBlock::Create(abi.C, "lost", &F);
  new UnreachableInst(abi.C, lost);
  IRBuilder<> D(dispatch);
  D.SetCurrentDebugLocation(atEntry());
  Value *point;
  if (keptFrame) {
    point = restoreKept(D);
  } else {
    auto *restored = D.CreateCall(abi.restore(), {PoisonValue::get(abi.Ptr)}); // `addEntry` sets the image
    restoredWord = D.CreateExtractValue(restored, 1);
    point = D.CreateTrunc(D.CreateExtractValue(restored, 0), abi.I32);
    restore = restored;
  }
  if (passesExceptions) {
    restoredThrown = D.CreateICmpUGE(point, D.getInt32(CH_POINT_THROWN));
    point = D.CreateAnd(point, CH_POINT_THROWN - 1);
  }
  // If one value is used after each of many points, the register allocator takes time that grows with the square of the
  // number of points.
  constexpr unsigned many = 64;
  AllocaInst *wordPlace = nullptr;
  if (points.size() > many && !F.hasFnAttribute(Attribute::OptimizeNone)) {
    IRBuilder<> top(&*body->getFirstNonPHIIt());
    wordPlace = top.CreateAlloca(abi.Size, nullptr, "word");
    D.CreateStore(restoredWord, wordPlace);
    if (passesExceptions) {
      thrownPlace = top.CreateAlloca(restoredThrown->getType(), nullptr, "thrown");
      D.CreateStore(restoredThrown, thrownPlace);
    }
  }
  SwitchInst *choose = D.CreateSwitch(point, lost, points.size(), weightsOfPoints());
  for (unsigned k = 0; k < points.size(); ++k) {
    Point &P = points[k];
    auto *suspending = BasicBlock::Create(abi.C, "suspending", &F);
    auto *restored = BasicBlock::Create(abi.C, "restored", &F);
    IRBuilder<> S(suspending), R(restored);
    S.SetCurrentDebugLocation(atEntry()); // a debugger sees by this line that the function is being left
    R.SetCurrentDebugLocation(P.at->getDebugLoc());
    S.CreateUnreachable(); // replaced when the tail exists
    P.before->getTerminator()->setSuccessor(0, suspending);
    choose->addCase(D.getInt32(k + 1), restored);
    if (PHINode *value = results[k]) {
      Value *word = wordPlace && isWord(value->getType()) ? R.CreateLoad(abi.Size, wordPlace) : restoredWord;
      value->addIncoming(reloadResult(R, value->getType(), word), restored);
    }
    R.CreateBr(P.after);
    suspendingBlocks.push_back(suspending);
    restoredBlocks.push_back(restored);
  }
}

// Whether a result of this type lies wholly in the first word.
bool Splitter::isWord(Type *T) const {
  return (T->isPointerTy() && T->getPointerAddressSpace() == 0) ||
         (T->isIntegerTy() && T->getIntegerBitWidth() <= abi.Size->getBitWidth());
}

// The result of a call that finished out of line. `word` is its first word.
Value *Splitter::reloadResult(IRBuilder<> &B, Type *T, Value *word) {
  if (isWord(T))
    return T->isPointerTy() ? B.CreateIntToPtr(word, T) : B.CreateTrunc(word, T);
  return B.CreateAlignedLoad(T, abi.tlsField(B, offsetof(struct ch_tls, result)), Align(8));
}

// Without optimisation, results of one word pass through one local, whether the call returned or was resumed. That
// local is only as wide as the widest of them, because in deep recursions every eight bytes count.
void Splitter::passResultsThroughMemory() {
  if (!F.hasFnAttribute(Attribute::OptimizeNone))
    return;
  SmallVector<unsigned> passed; // numbers of points
  uint64_t bits = 0;
  for (unsigned k = 0; k < points.size(); ++k)
    if (results[k] && !throwsAt(points[k]) && isWord(results[k]->getType()) &&
        DL.getTypeSizeInBits(results[k]->getType()) % 8 == 0) {
      passed.push_back(k);
      bits = std::max(bits, DL.getTypeSizeInBits(results[k]->getType()).getFixedValue());
    }
  if (passed.empty())
    return;
  IRBuilder<> top(&*F.getEntryBlock().getFirstNonPHIIt());
  AllocaInst *place = top.CreateAlloca(IntegerType::get(abi.C, bits), nullptr, "word");
  IRBuilder<> D(restore->getParent()->getTerminator());
  D.CreateAlignedStore(D.CreateTrunc(restoredWord, place->getAllocatedType()), place, place->getAlign());
  for (unsigned k : passed) {
    PHINode *value = results[k];
    IRBuilder<>(points[k].before->getTerminator())
        .CreateAlignedStore(value->getIncomingValueForBlock(points[k].before), place, place->getAlign());
    IRBuilder<> B(value->getParent(), value->getParent()->getFirstInsertionPt());
    B.SetCurrentDebugLocation(points[k].at->getDebugLoc());
    value->replaceAllUsesWith(B.CreateAlignedLoad(value->getType(), place, place->getAlign()));
    value->eraseFromParent();
    BasicBlock *restored = restoredBlocks[k];
    restored->replaceAllUsesWith(points[k].after);
    restored->eraseFromParent();
  }
}

} // namespace charcoal
