// Part of `split`: functions that call setjmp (anchor.h). They are not divided at their calls; a call that was
// suspended is waited for instead.
//
//     define i32 @f.int(i32 %x) {            define {i32, i32} @f.int(i32 %x) {
//       %anchor = alloca                       br (ch_tls.attention or ch_anchor_steps_aside()), %yield, %go
//       call @ch_anchor_begin(%anchor)       go:    musttail @f.int.anchored(%x)
//       %r = call @setjmp(%b)                yield: musttail the entry thunk of @f.int.anchored
//       call @ch_anchor_set(%anchor, ...)    }
//       %a = call i32 @g.int(i32 %x) #s      define {i32, i32} @f.int.anchored(i32 %x) {
//       ret i32 %a                             ...
//     }                                        {s, v} = call @g.int(%x); br s, %wait, %after
//                                            wait:  s' = call @ch_anchor_wait(%anchor, 1, s); br s', %leave, %ended
//                                            ended: v' = load ch_tls.result
//                                            after: a = phi(v, v'); ret {0, a}
//                                            leave: ret {s', poison}
//                                            }
#include "splitter.h"
#include "anchor.h"
#include "suspension_markers.h"
#include "places.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace charcoal {

// The call is followed by a test of its status. It becomes a point only for the sake of reports.
void Splitter::waitForCall(CallInst *old, Value *anchor) {
  MDNode *unlikely = MDBuilder(abi.C).createUnlikelyBranchWeights();
  BasicBlock *before = old->getParent();
  BasicBlock *after = before->splitBasicBlock(std::next(old->getIterator()), "after");
  before->getTerminator()->eraseFromParent();
  auto *wait = BasicBlock::Create(abi.C, "wait", &F), *ended = BasicBlock::Create(abi.C, "ended", &F),
       *leave = BasicBlock::Create(abi.C, "leave", &F);
  IRBuilder<> B(before), W(wait), E(ended), L(leave);
  for (IRBuilder<> *builder : {&B, &W, &E, &L})
    builder->SetCurrentDebugLocation(old->getDebugLoc());

  Value *status = B.getInt32(CH_PAUSED);
  PHINode *value = nullptr;
  CallInst *call = nullptr;
  if (isSuspendingCall(*old)) {
    call = newCall(old);
    status = abi.status(B, call);
    B.CreateCondBr(B.CreateIsNotNull(status), wait, after, unlikely);
    if (!old->getType()->isVoidTy() && !old->use_empty()) {
      B.SetInsertPoint(before->getTerminator());
      value = PHINode::Create(old->getType(), 2, old->getName(), after->begin());
      value->addIncoming(B.CreateExtractValue(call, 1), before);
      Value *word = E.CreateAlignedLoad(abi.Size, abi.tlsField(E, offsetof(struct ch_tls, result)), Align(8));
      value->addIncoming(reloadResult(E, old->getType(), word), ended);
      old->replaceAllUsesWith(value);
    }
  } else if (isYield(*old)) {
    B.CreateCondBr(B.CreateIsNotNull(abi.loadAttention(B)), wait, after, unlikely);
  } else {
    B.CreateBr(wait);
  }
  old->eraseFromParent();
  CallInst *left = W.CreateCall(abi.anchorWait(), {anchor, W.getInt32(points.size() + 1), status});
  points.push_back({left, before, after});
  W.CreateCondBr(W.CreateIsNotNull(left), leave, ended, unlikely);
  E.CreateBr(after);
  L.CreateRet(abi.makeResult(L, result, left, nullptr));
  if (call)
    passExceptionsOn(call);
}

// The function under its public name: the way in.
Function *Splitter::addWayIn() {
  auto *way = Function::Create(F.getFunctionType(), F.getLinkage(), F.getAddressSpace(), "", &M);
  way->copyAttributesFrom(&F);
  way->removeFnAttr(AnchoredAttr);
  way->setComdat(F.getComdat());
  way->takeName(&F);
  F.setName(way->getName() + ".anchored");
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setVisibility(GlobalValue::DefaultVisibility);
  F.setDLLStorageClass(GlobalValue::DefaultStorageClass);
  F.replaceUsesWithIf(way, [](const Use &U) { return !isa<BlockAddress>(U.getUser()); });
  for (StringRef name : {StringRef(VersionAttr), StringRef(NamedAttr), StringRef(AnchoredAttr)})
    F.removeFnAttr(name);

  auto *entry = BasicBlock::Create(abi.C, "entry", way), *stay = BasicBlock::Create(abi.C, "stay", way),
       *go = BasicBlock::Create(abi.C, "go", way), *yield = BasicBlock::Create(abi.C, "yield", way);
  IRBuilder<> B(entry);
  if (yieldsAtEntry)
    B.CreateCondBr(B.CreateIsNotNull(abi.loadAttention(B)), yield, stay,
                   MDBuilder(abi.C).createUnlikelyBranchWeights());
  else
    B.CreateBr(stay);
  B.SetInsertPoint(stay);
  B.CreateCondBr(B.CreateIsNotNull(B.CreateCall(abi.anchorStepsAside())), yield, go);
  B.SetInsertPoint(yield);
  glue.yieldAtEntry(B, &F, signature);
  B.SetInsertPoint(go);
  glue.handOn(B, &F, signature.versionAttributes(abi.C), signature);
  return way;
}

// An activation has one anchor at most. A function with an anchor is inlined where the arguments leave none of its
// calls of setjmp; its anchor is of no use there. The function's own begins before anything inlined.
void Splitter::dropInlinedAnchors() {
  bool own = F.hasFnAttribute(AnchoredAttr);
  SmallVector<CallInst *> inlined;
  for (Instruction &I : instructions(F))
    if (charcoal::calls(I, "ch_anchor_begin") && !std::exchange(own, false))
      inlined.push_back(cast<CallInst>(&I));
  for (CallInst *begin : inlined) {
    auto *anchor = cast<AllocaInst>(begin->getArgOperand(0));
    for (User *user : make_early_inc_range(anchor->users()))
      cast<Instruction>(user)->eraseFromParent(); // its beginning and the ends of its lifetime
    anchor->eraseFromParent();
  }
}

Function *Splitter::anchor() {
  CallInst *begin = nullptr;
  SmallVector<CallInst *> suspended, plain;
  for (Instruction &I : instructions(F))
    if (isSuspendingCall(I) || isYieldOrPause(I))
      suspended.push_back(cast<CallInst>(&I));
    else if (charcoal::calls(I, "ch_anchor_begin"))
      begin = cast<CallInst>(&I);
    else if (auto *call = dyn_cast<CallInst>(&I))
      plain.push_back(call);
  begin->moveBefore(afterAllocas(F.getEntryBlock())->getIterator());
  for (CallInst *call : reverse(suspended))
    waitForCall(call, begin->getArgOperand(0));
  for (CallInst *call : plain)
    passExceptionsOn(call);
  rewriteReturns();
  Function *way = addWayIn();
  DISubprogram *place = F.getSubprogram();
  begin->setArgOperand(1, glue.frameInfo("charcoal.anchor.info", cast<Constant>(abi.anchorResume().getCallee()), &F,
                                         glue.string(name), place ? glue.string(place->getFilename()) : nullptr,
                                         linesOfPoints(abi, F, points), points.size(), CH_FRAME_HEADER, 0, 16,
                                         promises(), 0, inlinedAtPoints(glue, abi, F, points)));
  return way;
}

} // namespace charcoal
