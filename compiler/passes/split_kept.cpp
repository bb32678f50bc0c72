// Part of `split`: activations that run in their frame. The body of an activity has one frame from its beginning to its
// end: the image lies there and nowhere else, so suspending and resuming it copies nothing and neither takes nor gives
// a frame. Other functions do not have this, because a call that nobody suspends is not to pay for a frame.
//
// Such a function is divided. The scheduler resumes the part that has the code, by a plain call with the frame. The
// function itself takes the frame, puts the arguments into it, and calls that part as if to resume it at the beginning.
//
//     f.int:      %taken = call ptr @ch_frame_new(@f.info)
//                 store %x, %taken + header; call i32 @f.int.framed(%taken)
//     f.int.framed(%frame):
//     dispatch:   switch (%frame.point) 1: …; 0: begin
//     begin:      %x = load %frame + header
//     after:      x = load %frame + offset
//     suspending: %frame.point = number
//     suspend:    *ch_tls.link = %frame; ch_tls.link = &%frame.parent; ret status
//
// Until divideKept a global variable stands for %frame, because it is no value that crosses a point.
#include "splitter.h"
#include "cold.h"
#include "suspension_markers.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace charcoal {

// Whether this function begins an activity, and no code calls it.
static bool beginsActivity(const Function &F, StringRef name) {
  if (name == "main")
    return true;
  return !F.use_empty() && all_of(F.users(), [](const User *U) {
    auto *call = dyn_cast<CallBase>(U);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "ch_spawn";
  });
}

// The frame has room for each argument in a word of its own.
static bool areWords(const Function &F, const DataLayout &DL) {
  return all_of(F.args(), [&](const Argument &A) {
    return !A.hasPassPointeeByValueCopyAttr() &&
           TypeSize::isKnownLE(DL.getTypeStoreSize(A.getType()), TypeSize::getFixed(8));
  });
}

bool Splitter::mayKeepFrame() const {
  return !F.hasOptSize() && localsShare() && beginsActivity(F, name) && areWords(F, DL) &&
         none_of(tailCalls, [](const Instruction *call) { return cast<CallInst>(call)->isMustTailCall(); });
}

void Splitter::keepFrame() {
  keptFrame = new GlobalVariable(M, abi.I8, false, GlobalValue::ExternalLinkage, nullptr, "charcoal.kept.frame");
  framed = Function::Create(FunctionType::get(abi.I32, {abi.Ptr}, false), GlobalValue::InternalLinkage,
                            F.getAddressSpace(), F.getName() + ".framed");
  M.getFunctionList().insertAfter(F.getIterator(), framed);
  framed->copyAttributesFrom(&F);
  AttrBuilder attributes(abi.C, F.getAttributes().getFnAttrs());
  for (StringRef name : {VersionAttr, BoundedAttr, NamedAttr})
    attributes.removeAttribute(name);
  framed->setAttributes(AttributeList().addFnAttributes(abi.C, attributes));
  framed->addFnAttr(ColdPartAttr);
  framed->addFnAttr(Attribute::NoInline);
  framed->setComdat(F.getComdat());
  framed->setVisibility(GlobalValue::DefaultVisibility);
  framed->setDSOLocal(true);
}

// An instruction, and no constant, although the variable that stands for the frame is one.
Instruction *Splitter::inKeptFrame(IRBuilder<> &B, uint64_t offset) const {
  return B.Insert(GetElementPtrInst::CreateInBounds(abi.I8, keptFrame, {B.getInt64(offset)}));
}

// Returns the number of the point.
Value *Splitter::restoreKept(IRBuilder<> &B) {
  LoadInst *word = B.CreateAlignedLoad(abi.Size, abi.tlsField(B, offsetof(struct ch_tls, result)), Align(8));
  restore = word;
  restoredWord = word;
  return B.CreateAlignedLoad(abi.I32, inKeptFrame(B, offsetof(struct ch_frame, point)), Align(8));
}

void Splitter::noteKept(IRBuilder<> &B, Value *number) {
  B.CreateAlignedStore(number, inKeptFrame(B, offsetof(struct ch_frame, point)), Align(8));
}

void Splitter::linkKept(IRBuilder<> &B) {
  Value *place = abi.tlsField(B, offsetof(struct ch_tls, link));
  B.CreateAlignedStore(inKeptFrame(B, 0), B.CreateAlignedLoad(abi.Ptr, place, Align(8)), Align(8));
  B.CreateAlignedStore(inKeptFrame(B, offsetof(struct ch_frame, parent)), place, Align(8));
}

// A variable that is declared to lie in the image lies in the frame.
static void describe(Instruction *place, uint64_t offset, Value *frame, BasicBlock &entry) {
  for (DbgVariableRecord *record : findDVRDeclares(place)) {
    DIExpression *there = DIExpression::prepend(record->getExpression(), DIExpression::ApplyOffset, offset);
    there = DIExpression::append(there, {dwarf::DW_OP_deref});
    entry.insertDbgRecordBefore(
        DbgVariableRecord::createDbgVariableRecord(frame, record->getVariable(), there, record->getDebugLoc()),
        entry.getFirstNonPHIIt());
    record->eraseFromParent();
  }
}

// Puts the frame's address where the variable stands for it, and where the image was.
void Splitter::provideKeptFrame() {
  Value *frame = framed->getArg(0);
  frame->setName("frame");
  BasicBlock *entry = image->getParent();
  auto move = [&](Instruction *place, uint64_t offset) {
    describe(place, offset, frame, *entry);
    replaceLocal(place, [&](IRBuilder<> &at) { return inKeptFrame(at, offset); });
    place->eraseFromParent();
  };
  for (User *U : make_early_inc_range(image->users())) {
    auto *place = dyn_cast<GetElementPtrInst>(U);
    APInt offset(64, CH_FRAME_HEADER);
    if (place && place->getParent() == entry && place->accumulateConstantOffset(DL, offset))
      move(place, offset.getZExtValue());
  }
  move(image, CH_FRAME_HEADER);
  image = nullptr;
  keptFrame->replaceAllUsesWith(frame);
  keptFrame->eraseFromParent();
  keptFrame = nullptr;
}

// Where an argument is handed over in the frame, which has nothing else in it yet.
static uint64_t offsetOf(const Argument &A) { return CH_FRAME_HEADER + sizeof(uint64_t) * A.getArgNo(); }
uint64_t Splitter::endOfArguments() const { return CH_FRAME_HEADER + sizeof(uint64_t) * F.arg_size(); }

// The code becomes that of `framed`, which begins at its dispatch.
void Splitter::divideKept() {
  const DebugLoc place = atEntry();
  BasicBlock *begin = BasicBlock::Create(abi.C, "begin", &F, body);
  IRBuilder<> B(begin);
  B.SetCurrentDebugLocation(place);
  for (Argument &A : F.args()) {
    Value *now = PoisonValue::get(A.getType()); // for a variable that only the debugger is told of
    if (!A.use_empty())
      now = B.CreateAlignedLoad(A.getType(), B.CreateConstInBoundsGEP1_64(abi.I8, framed->getArg(0), offsetOf(A)),
                                Align(8), A.getName());
    A.replaceAllUsesWith(now);
  }
  B.CreateBr(body);
  auto *choose = cast<SwitchInst>(restore->getParent()->getTerminator());
  choose->setDefaultDest(begin);
  for (BasicBlock &BB : F)
    if (auto *R = dyn_cast<ReturnInst>(BB.getTerminator()); R && !result->isVoidTy()) {
      B.SetInsertPoint(R);
      B.CreateAlignedStore(B.CreateExtractValue(R->getReturnValue(), 1),
                           abi.tlsField(B, offsetof(struct ch_tls, result)), Align(8));
      B.CreateRet(abi.status(B, R->getReturnValue()));
      R->eraseFromParent();
    }
  framed->setSubprogram(F.getSubprogram());
  F.setSubprogram(nullptr);
  framed->splice(framed->begin(), &F);
  removeUnreachableBlocks(*framed);
  beginInFrame();
}

// The function itself.
void Splitter::beginInFrame() {
  IRBuilder<> B(BasicBlock::Create(abi.C, "entry", &F));
  if (yieldsAtEntry) {
    auto *yield = BasicBlock::Create(abi.C, "yield", &F), *begin = BasicBlock::Create(abi.C, "begin", &F);
    B.CreateCondBr(B.CreateIsNotNull(abi.loadAttention(B)), yield, begin,
                   MDBuilder(abi.C).createUnlikelyBranchWeights());
    B.SetInsertPoint(yield);
    SmallVector<Value *> arguments;
    for (Argument &A : F.args())
      arguments.push_back(&A);
    glue.yieldAtEntry(B, &F, signature, arguments);
    B.SetInsertPoint(begin);
  }
  Value *taken = B.CreateCall(abi.frameNew(), {info}, "frame");
  framed->addFnAttr(FrameAttr, info->getName());
  for (Argument &A : F.args())
    B.CreateAlignedStore(&A, B.CreateConstInBoundsGEP1_64(abi.I8, taken, offsetOf(A)), Align(8));
  CallInst *status = B.CreateCall(framed, {taken});
  status->setTailCall();
  Value *value = result->isVoidTy()
                     ? nullptr
                     : B.CreateAlignedLoad(result, abi.tlsField(B, offsetof(struct ch_tls, result)), Align(8));
  B.CreateRet(abi.makeResult(B, result, status, value));
}

} // namespace charcoal
