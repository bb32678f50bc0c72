// Part of `split`: makes the description of the frame, and the code at entry, dispatch, suspension and return.
#include "splitter.h"
#include "promises.h"
#include "addresses.h"
#include "suspension_markers.h"
#include "places.h"
#include "sizes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace charcoal {

// ---- the frame's description ----

unsigned Splitter::promises() const { return F.hasFnAttribute(NeverWaitsAttr) ? CH_FRAME_NEVER_WAITS : 0; }

void Splitter::makeInfos() {
  DISubprogram *place = F.getSubprogram();
  Constant *file = place ? glue.string(place->getFilename()) : nullptr, *lines = linesOfPoints(abi, F, points);
  Constant *inlined = inlinedAtPoints(glue, abi, F, points);
  const unsigned dynamic = keepsDynamicLocals ? CH_FRAME_DYNAMIC : 0, catches = passesExceptions ? CH_FRAME_CATCHES : 0;
  auto make = [&](uint64_t size, uint64_t align, unsigned flags) {
    Function *resume = framed ? framed : glue.resumeStub(signature, !tailCalls.empty());
    return glue.frameInfo("charcoal.info", resume, framed ? framed : &F, glue.string(name), file, lines, points.size(),
                          alignTo(size, 8), imageSize, align, flags | promises() | dynamic | catches, asyncs, inlined);
  };
  const uint64_t without = CH_FRAME_HEADER + imageSize;
  if (!keptFrame && (frames.empty() || takesFrameLate))
    infoWithout = make(without, 16, 0);
  info = frames.empty() && !keptFrame ? infoWithout
                                      : make(std::max(homesStart + homesEnd, keptFrame ? endOfArguments() : 0),
                                             std::max<uint64_t>(16, homesAlign.value()), CH_FRAME_HOME);
  for (CallInst *taken : takings)
    taken->setArgOperand(0, info);
  if (guards)
    takings.front()->setArgOperand(1, guards->description(homesStart));
}

// ---- entry, dispatch, suspension, return ----

DebugLoc Splitter::atEntry() const {
  DISubprogram *place = F.getSubprogram();
  return place ? DebugLoc(DILocation::get(abi.C, place->getScopeLine(), 0, place)) : DebugLoc();
}

// Makes a debugger that is to break on the function stop at the check, which therefore belongs to the first statement.
// Without optimization the arguments have been stored by then.
DebugLoc Splitter::placeOfCheck() const {
  if (!F.getSubprogram() || !F.hasFnAttribute(Attribute::OptimizeNone))
    return atEntry();
  for (const Instruction &I : *body)
    if (I.getDebugLoc() && I.getDebugLoc().getLine() && !isFrame(&I) && !isYield(I) && !isPause(I))
      return I.getDebugLoc();
  return atEntry();
}

// Without optimisation an argument that two blocks want is stored first and loaded by each. clang gives most parameters
// a variable, so the store of that one moves before the check, and the entry thunk gets what lies there. A resumed
// activation stores undefined values, which ch_restore overwrites.
SmallVector<Value *> Splitter::argumentsKeptByVariables(BasicBlock *entry, BasicBlock *yield) {
  SmallVector<Value *> arguments;
  for (Argument &A : F.args())
    arguments.push_back(&A);
  if (!F.hasFnAttribute(Attribute::OptimizeNone) || F.hasFnAttribute(Attribute::SanitizeMemory))
    return arguments;
  IRBuilder<> B(abi.C);
  if (yield)
    B.SetInsertPoint(yield);
  B.SetCurrentDebugLocation(atEntry());
  for (Instruction &I : make_early_inc_range(*body)) {
    auto *store = dyn_cast<StoreInst>(&I);
    auto *A = store ? dyn_cast<Argument>(store->getValueOperand()) : nullptr;
    if (!A) {
      if (I.mayHaveSideEffects() && !isFrame(&I))
        break;
      continue;
    }
    auto *address = dyn_cast<Instruction>(store->getPointerOperand());
    if (!address || store->isVolatile())
      break;
    if (auto *G = dyn_cast<GetElementPtrInst>(address); G && G->getParent() == body) {
      if (!isRepeatable(G) || !isa<AllocaInst>(G->getPointerOperand()))
        continue;
      G->moveBefore(*entry, entry->end());
    } else if (address->getParent() != entry) {
      continue;
    }
    store->moveBefore(*entry, entry->end());
    if (!yield)
      continue;
    Value *place = isa<AllocaInst>(address) ? address : B.Insert(address->clone());
    arguments[A->getArgNo()] = B.CreateAlignedLoad(A->getType(), place, store->getAlign());
  }
  return arguments;
}

// The check at the entry, and after it the ways to the entry thunk and to the dispatch.
void Splitter::addEntry() {
  BasicBlock *entry = image ? image->getParent() : BasicBlock::Create(abi.C, "entry", &F, body);
  if (!image)
    for (Instruction &I : make_early_inc_range(*body))
      if (auto *A = dyn_cast<AllocaInst>(&I); A && isa<ConstantInt>(A->getArraySize()))
        A->moveBefore(*entry, entry->end());
  IRBuilder<> B(entry);
  DebugLoc place = placeOfCheck();
  B.SetCurrentDebugLocation(place);
  if (keptFrame) {
    B.CreateBr(restore->getParent());
    return;
  }
  if (points.empty() && !yieldsAtEntry) {
    B.CreateBr(body);
    return;
  }
  auto *cold = BasicBlock::Create(abi.C, "cold", &F);
  auto *yield = yieldsAtEntry ? BasicBlock::Create(abi.C, "yield", &F) : nullptr;
  const SmallVector<Value *> arguments = argumentsKeptByVariables(entry, yield);
  Value *attention = B.CreateIsNotNull(abi.loadAttention(B));
  B.CreateCondBr(attention, cold, body, MDBuilder(abi.C).createUnlikelyBranchWeights());

  BasicBlock *begin = body;
  if (yieldsAtEntry) {
    begin = yield;
    IRBuilder<> slow(begin);
    slow.SetCurrentDebugLocation(place);
    glue.yieldAtEntry(slow, &F, signature, arguments);
  }
  B.SetInsertPoint(cold);
  if (points.empty()) {
    B.CreateBr(begin);
    return;
  }
  Value *entering = B.CreateAlignedLoad(abi.I8, abi.tlsField(B, offsetof(struct ch_tls, entering)), Align(1), true);
  B.CreateCondBr(B.CreateIsNotNull(entering), restore->getParent(), begin);
  auto *call = cast<CallInst>(restore);
  if (frames.empty() || !takesFrameLate)
    call->setCalledFunction(frames.empty() ? restoreOfSize(abi, imageSize) : restoreHomeOfSize(abi, imageSize));
  call->setArgOperand(0, image);
  // The runtime is not instrumented, so MemorySanitizer does not see that it writes the image.
  if (F.hasFnAttribute(Attribute::SanitizeMemory)) {
    IRBuilder<> D(restore->getNextNode());
    D.SetCurrentDebugLocation(atEntry());
    D.CreateCall(M.getOrInsertFunction("__msan_unpoison", abi.Void, abi.Ptr, abi.Size),
                 {image, ConstantInt::get(abi.Size, imageSize)});
  }
}

static_assert(CH_STATUS_OF(CH_WHY(1, CH_THROWN)) == CH_THROWN, "the greatest status fits");

// CH_WHY of the point and its status, for the points from `from` up to, but not including, `to`. It is counted on the
// way to `end`: the way falls through one addition for each earlier point of its group. The values that are in
// registers throughout come along, and are saved in `end`.
PHINode *Splitter::countPoints(BasicBlock *end, unsigned from, unsigned to) {
  constexpr unsigned group = 16;
  PHINode *why = PHINode::Create(abi.I32, (to - from) / group + 1, "", end->begin());
  auto newPhis = [&](BasicBlock *BB) {
    SmallVector<PHINode *> phis;
    for (const SavedThroughout &saved : savedThroughout)
      phis.push_back(PHINode::Create(saved.type, 2, "", BB->begin()));
    return phis;
  };
  SmallVector<PHINode *> saved = newPhis(end), afterSaved;
  BasicBlock *next = end;
  PHINode *after = why;
  for (unsigned k = from; k < to; ++k) {
    bool first = (k - from) % group == 0;
    if (first) {
      next = end;
      after = why;
      afterSaved = saved;
    }
    auto *count = BasicBlock::Create(abi.C, "count", &F, next);
    IRBuilder<> step(count);
    step.SetCurrentDebugLocation(atEntry());
    PHINode *sum = step.CreatePHI(abi.I32, 2);
    SmallVector<PHINode *> here = newPhis(count);
    for (auto [phi, later, value] : zip(here, afterSaved, savedThroughout)) {
      Value *atPoint = value.atPoints[k];
      phi->addIncoming(atPoint ? atPoint : PoisonValue::get(phi->getType()), suspendingBlocks[k]);
      later->addIncoming(phi, count);
    }
    afterSaved = here;
    sum->addIncoming(statuses[k], suspendingBlocks[k]);
    after->addIncoming(step.CreateAdd(sum, step.getInt32(first ? CH_WHY(k + 1, 0) : CH_WHY_POINT)), count);
    step.CreateBr(next);
    ReplaceInstWithInst(suspendingBlocks[k]->getTerminator(), BranchInst::Create(count));
    next = count;
    after = sum;
  }
  IRBuilder<> B(end);
  B.SetCurrentDebugLocation(atEntry());
  for (auto [phi, value] : zip(saved, savedThroughout))
    B.CreateAlignedStore(phi, value.slot, DL.getABITypeAlign(value.type));
  return why;
}

// In the frame that an activation keeps, each point notes its number by itself: the function is the body of an
// activity, of which there are few, and so the time counts more than the size. The result is the status.
PHINode *Splitter::notePoints(BasicBlock *end) {
  PHINode *status = PHINode::Create(abi.I32, points.size(), "", end->begin());
  for (unsigned k = 0; k < points.size(); ++k) {
    IRBuilder<> step(suspendingBlocks[k]->getTerminator());
    step.SetCurrentDebugLocation(atEntry());
    noteKept(step, step.getInt32(k + 1));
    status->addIncoming(statuses[k], suspendingBlocks[k]);
    ReplaceInstWithInst(suspendingBlocks[k]->getTerminator(), BranchInst::Create(end));
  }
  IRBuilder<> B(end);
  B.SetCurrentDebugLocation(atEntry());
  for (const SavedThroughout &saved : savedThroughout) {
    auto *phi = PHINode::Create(saved.type, points.size(), "", end->begin());
    for (unsigned k = 0; k < points.size(); ++k) {
      Value *atPoint = saved.atPoints[k];
      phi->addIncoming(atPoint ? atPoint : PoisonValue::get(saved.type), suspendingBlocks[k]);
    }
    B.CreateAlignedStore(phi, saved.slot, DL.getABITypeAlign(saved.type));
  }
  return status;
}

// The same through a local, which each point sets by itself. Without optimisation each phi would take room on the
// stack.
Value *Splitter::storePoints(BasicBlock *end) {
  AllocaInst *place = addLocalForPoint();
  for (unsigned k = 0; k < points.size(); ++k) {
    IRBuilder<> step(suspendingBlocks[k]->getTerminator());
    step.SetCurrentDebugLocation(atEntry());
    Value *status = statuses[k];
    if (isa<Instruction>(status)) {
      IRBuilder<>(points[k].before->getTerminator()).CreateStore(status, place);
      status = step.CreateLoad(abi.I32, place);
    }
    step.CreateStore(step.CreateAdd(status, step.getInt32(CH_WHY(k + 1, 0))), place);
    step.CreateBr(end);
    suspendingBlocks[k]->getTerminator()->eraseFromParent();
  }
  return loadPoint(end, place);
}

// The same for many points. LLVM makes one register of all phis that are joined, and the time that it takes grows with
// the square of their number; so each section counts for itself, and stores the sum.
Value *Splitter::countPointsInSections(BasicBlock *end, unsigned section) {
  AllocaInst *place = addLocalForPoint();
  for (unsigned from = 0; from < points.size(); from += section) {
    auto *counted = BasicBlock::Create(abi.C, "counted", &F, end);
    Value *why = countPoints(counted, from, std::min<unsigned>(from + section, points.size()));
    IRBuilder<> B(counted);
    B.SetCurrentDebugLocation(atEntry());
    B.CreateStore(why, place);
    B.CreateBr(end);
  }
  return loadPoint(end, place);
}

AllocaInst *Splitter::addLocalForPoint() {
  IRBuilder<> top(&*F.getEntryBlock().getFirstNonPHIIt());
  return top.CreateAlloca(abi.I32, nullptr, "why");
}

Value *Splitter::loadPoint(BasicBlock *end, AllocaInst *place) {
  IRBuilder<> B(end, end->begin());
  B.SetCurrentDebugLocation(atEntry());
  return B.CreateLoad(abi.I32, place);
}

// The one way out of a suspended activation. The number of the point and the status travel in one register: three bytes
// a point, where loading a number and jumping would take ten.
BasicBlock &Splitter::addSuspendTail() {
  constexpr unsigned section = 256;
  auto *suspend = BasicBlock::Create(abi.C, "suspend", &F);
  if (keptFrame && points.size() <= section) {
    Value *status = notePoints(suspend);
    IRBuilder<> tail(suspend);
    tail.SetCurrentDebugLocation(atEntry());
    linkKept(tail);
    tail.CreateRet(abi.makeResult(tail, result, status, nullptr));
    return *suspend;
  }
  Value *why = F.hasFnAttribute(Attribute::OptimizeNone) ? storePoints(suspend)
               : points.size() <= section                ? countPoints(suspend, 0, points.size())
                                                         : countPointsInSections(suspend, section);
  IRBuilder<> tail(suspend);
  tail.SetCurrentDebugLocation(atEntry());
  auto number = [&] { return tail.CreateUDiv(why, tail.getInt32(CH_WHY_POINT)); }; // CH_POINT_OF
  auto leave = [&](Value *status) { tail.CreateRet(abi.makeResult(tail, result, status, nullptr)); };
  if (keptFrame) {
    noteKept(tail, number());
    linkKept(tail);
    leave(tail.CreateURem(why, tail.getInt32(CH_WHY_POINT)));
  } else if (!frames.empty()) {
    if (takesFrameLate) {
      auto *with = BasicBlock::Create(abi.C, "suspend.home", &F),
           *without = BasicBlock::Create(abi.C, "suspend.early", &F);
      if (withFrame) {
        SwitchInst *choose = tail.CreateSwitch(number(), without, withFrame->count());
        for (unsigned k : withFrame->set_bits())
          choose->addCase(tail.getInt32(k + 1), with);
      } else {
        tail.CreateCondBr(tail.CreateIsNotNull(tail.CreateAlignedLoad(abi.Ptr, framePlace, Align(8))), with, without);
      }
      tail.SetInsertPoint(without);
      leave(tail.CreateCall(suspendOfSize(abi, imageSize), {infoWithout, image, why}));
      tail.SetInsertPoint(with);
    }
    Value *own = tail.CreateAlignedLoad(abi.Ptr, framePlace, Align(8));
    leave(tail.CreateCall(suspendHomeOfSize(abi, imageSize), {own, image, why}));
  } else {
    leave(tail.CreateCall(suspendOfSize(abi, imageSize), {info, image, why}));
  }
  return *suspend;
}

void Splitter::rewriteReturns() {
  SmallVector<ReturnInst *> returns;
  for (BasicBlock &BB : F)
    if (auto *R = dyn_cast_if_present<ReturnInst>(BB.getTerminator())) {
      Value *value = R->getReturnValue();
      // The returns of tail calls have the new type already.
      if (result->isVoidTy() ? !value : value->getType() == result)
        returns.push_back(R);
    }
  for (ReturnInst *R : returns) {
    IRBuilder<> B(R);
    const unsigned status = throwing.contains(R) ? CH_THROWN : CH_DONE;
    B.CreateRet(abi.makeResult(B, result, B.getInt32(status), R->getReturnValue()));
    R->eraseFromParent();
  }
}

} // namespace charcoal
