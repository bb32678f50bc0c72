// Part of `split`: activations that run in their frame. The body of an activity has one frame from its beginning to its
// end: the image lies there and nowhere else, so suspending and resuming it copies nothing and neither takes nor gives
// a frame. Other functions do not have this, because a call that nobody suspends is not to pay for a frame.
//
//     body:       %taken = call ptr @ch_frame_new(@f.info)
//     dispatch:   %resumed = ch_tls.resuming; ch_tls.attention = 0; switch (%resumed.point) …
//     after:      %frame = phi (%taken, %resumed); x = load %frame + offset
//     suspending: %frame.point = number
//     suspend:    *ch_tls.link = %frame; ch_tls.link = &%frame.parent; ret {status, poison}
//
// Until provideKeptFrame a global variable stands for %frame, because it is no value that crosses a point.
#include "splitter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

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

bool Splitter::mayKeepFrame() const { return !F.hasOptSize() && localsShare() && beginsActivity(F, name); }

void Splitter::keepFrame() {
  keptFrame = new GlobalVariable(M, abi.I8, false, GlobalValue::ExternalLinkage, nullptr, "charcoal.kept.frame");
}

// An instruction, and no constant, although the variable that stands for the frame is one.
Instruction *Splitter::inKeptFrame(IRBuilder<> &B, uint64_t offset) const {
  return B.Insert(GetElementPtrInst::CreateInBounds(abi.I8, keptFrame, {B.getInt64(offset)}));
}

// Returns the number of the point.
Value *Splitter::restoreKept(IRBuilder<> &B) {
  LoadInst *resumed =
      B.CreateAlignedLoad(abi.Ptr, abi.tlsField(B, offsetof(struct ch_tls, resuming)), Align(8), "frame");
  restore = resumed;
  B.CreateAlignedStore(B.getInt32(0), abi.tlsField(B, offsetof(struct ch_tls, attention)), Align(4),
                       /*isVolatile=*/true);
  restoredWord = B.CreateAlignedLoad(abi.Size, abi.tlsField(B, offsetof(struct ch_tls, result)), Align(8));
  return B.CreateAlignedLoad(abi.I32, B.CreateConstInBoundsGEP1_64(abi.I8, resumed, offsetof(struct ch_frame, point)),
                             Align(8));
}

void Splitter::noteKept(IRBuilder<> &B, Value *number) {
  B.CreateAlignedStore(number, inKeptFrame(B, offsetof(struct ch_frame, point)), Align(8));
}

void Splitter::linkKept(IRBuilder<> &B) {
  Value *place = abi.tlsField(B, offsetof(struct ch_tls, link));
  B.CreateAlignedStore(inKeptFrame(B, 0), B.CreateAlignedLoad(abi.Ptr, place, Align(8)), Align(8));
  B.CreateAlignedStore(inKeptFrame(B, offsetof(struct ch_frame, parent)), place, Align(8));
}

// A variable that is declared to lie in the image lies in the frame, from where the frame is known.
static void describe(Instruction *place, uint64_t offset, ArrayRef<Instruction *> known) {
  for (DbgVariableRecord *record : findDVRDeclares(place)) {
    DIExpression *there = DIExpression::prepend(record->getExpression(), DIExpression::ApplyOffset, offset);
    there = DIExpression::append(there, {dwarf::DW_OP_deref});
    for (Instruction *frame : known)
      frame->getParent()->insertDbgRecordAfter(
          DbgVariableRecord::createDbgVariableRecord(frame, record->getVariable(), there, record->getDebugLoc()),
          frame);
    record->eraseFromParent();
  }
}

// Puts the frame's address where the variable stands for it.
void Splitter::provideKeptFrame() {
  IRBuilder<> B(body, body->getFirstInsertionPt());
  B.SetCurrentDebugLocation(atEntry());
  Instruction *taken = B.CreateCall(abi.frameNew(), {info}, "frame");
  auto move = [&](Instruction *place, uint64_t offset) {
    describe(place, offset, {taken, restore});
    replaceLocal(place, [&](IRBuilder<> &at) { return inKeptFrame(at, offset); });
    place->eraseFromParent();
  };
  for (User *U : make_early_inc_range(image->users())) {
    auto *place = dyn_cast<GetElementPtrInst>(U);
    APInt offset(64, CH_FRAME_HEADER);
    if (place && place->getParent() == image->getParent() && place->accumulateConstantOffset(DL, offset))
      move(place, offset.getZExtValue());
  }
  move(image, CH_FRAME_HEADER);
  image = nullptr;
  SSAUpdater frame;
  frame.Initialize(abi.Ptr, "frame");
  frame.AddAvailableValue(body, taken);
  frame.AddAvailableValue(restore->getParent(), restore);
  for (Use &U : make_early_inc_range(keptFrame->uses())) {
    const BasicBlock *BB = blockOfUse(U);
    if (BB == body)
      U.set(taken);
    else if (BB == restore->getParent())
      U.set(restore);
    else
      frame.RewriteUse(U);
  }
  keptFrame->eraseFromParent();
  keptFrame = nullptr;
}

} // namespace charcoal
