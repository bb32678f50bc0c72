// Part of `split`: locals. Arguments by value and variable-length locals get memory of their own; a local whose address
// is known elsewhere gets a home in the frame, which is taken at the entry or where it is first needed (taking.h).
#include "splitter.h"
#include "addresses.h"
#include "layout.h"
#include "suspension_markers.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace charcoal {

void dropLifetimes(AllocaInst *A) {
  for (User *U : make_early_inc_range(A->users()))
    if (auto *I = dyn_cast<Instruction>(U); I && I->isLifetimeStartOrEnd())
      I->eraseFromParent();
}

// A swifterror local stands for a register of Swift's calling convention. Only loads, stores and calls may use it, so
// it cannot be in a frame. So a second local holds the value, which is copied into the first one before each call that
// takes it, and back afterwards. None of these calls can suspend.
void copySwiftErrors(Function &F) {
  SmallVector<AllocaInst *> errors;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isSwiftError())
      errors.push_back(A);
  for (AllocaInst *error : errors) {
    Type *T = error->getAllocatedType();
    auto *copy = new AllocaInst(T, error->getAddressSpace(), error->getName(), error->getIterator());
    for (Use &U : make_early_inc_range(error->uses())) {
      auto *call = dyn_cast<CallInst>(U.getUser());
      if (!call) {
        U.set(copy);
        continue;
      }
      IRBuilder<> before(call), after(call->getNextNode());
      before.CreateStore(before.CreateLoad(T, copy), error);
      after.CreateStore(after.CreateLoad(T, error), copy);
    }
  }
}

// The instruction by which a block leaves the function. What the activation owns is given back before it.
Instruction *Splitter::endOfActivation(BasicBlock &BB) const {
  Instruction *end = dyn_cast_if_present<ReturnInst>(BB.getTerminator());
  for (Instruction *I = end ? end->getPrevNode() : nullptr; I; I = I->getPrevNode()) {
    if (tailCalls.contains(I))
      return I;
    if (!isa<ExtractValueInst>(I) && !I->isLifetimeStartOrEnd())
      break;
  }
  return end;
}

// A by-value argument lies in the caller's memory, so it is copied.
void Splitter::copyByvalArguments() {
  for (Argument &A : F.args()) {
    AttributeSet attributes = signature.attributes[A.getArgNo()];
    Type *T = attributes.getByValType();
    if (!T || A.use_empty())
      continue;
    IRBuilder<> B(afterAllocas(F.getEntryBlock()));
    IRBuilder<> top(&*F.getEntryBlock().getFirstNonPHIIt());
    Align align = std::max(attributes.getAlignment().valueOrOne(), DL.getABITypeAlign(T));
    AllocaInst *copy = top.CreateAlloca(T, nullptr, A.getName());
    copy->setAlignment(align);
    A.replaceAllUsesWith(copy);
    B.CreateMemCpy(copy, align, &A, attributes.getAlignment().valueOrOne(), DL.getTypeAllocSize(T).getFixedValue());
  }
}

// Variable-length arrays and alloca become blocks in a list, whose head is a local. The stack pointer becomes a
// position in that list.
void Splitter::lowerDynamicLocals() {
  SmallVector<Instruction *> work;
  for (Instruction &I : instructions(F)) {
    if (auto *A = dyn_cast<AllocaInst>(&I); A && !A->isStaticAlloca())
      work.push_back(A);
    else if (auto *II = dyn_cast<IntrinsicInst>(&I);
             II && (II->getIntrinsicID() == Intrinsic::stacksave || II->getIntrinsicID() == Intrinsic::stackrestore))
      work.push_back(II);
  }
  if (work.empty())
    return;
  IRBuilder<> top(&*F.getEntryBlock().getFirstNonPHIIt());
  dynamicLocals = top.CreateAlloca(abi.Ptr, nullptr, "dynamic_locals");
  dynamicLocals->setAlignment(Align(8));
  IRBuilder<> start(afterAllocas(F.getEntryBlock()));
  start.CreateAlignedStore(ConstantPointerNull::get(abi.Ptr), dynamicLocals, Align(8));
  for (Instruction *I : work) {
    IRBuilder<> B(I);
    if (auto *A = dyn_cast<AllocaInst>(I)) {
      dropLifetimes(A);
      Value *count = B.CreateZExtOrTrunc(A->getArraySize(), abi.Size);
      Value *size =
          B.CreateMul(count, ConstantInt::get(abi.Size, DL.getTypeAllocSize(A->getAllocatedType()).getFixedValue()));
      Value *block =
          B.CreateCall(abi.alloca_(), {dynamicLocals, size, ConstantInt::get(abi.Size, A->getAlign().value())});
      A->replaceAllUsesWith(block);
    } else if (cast<IntrinsicInst>(I)->getIntrinsicID() == Intrinsic::stacksave) {
      I->replaceAllUsesWith(B.CreateAlignedLoad(abi.Ptr, dynamicLocals, Align(8)));
    } else {
      B.CreateCall(abi.allocaRelease(), {dynamicLocals, I->getOperand(0)});
    }
    I->eraseFromParent();
  }
  for (BasicBlock &BB : F)
    if (Instruction *end = endOfActivation(BB))
      IRBuilder<>(end).CreateCall(abi.allocaRelease(), {dynamicLocals, ConstantPointerNull::get(abi.Ptr)});
}

// ---- homes ----

// Replaces each use of a local, or of its address, by what make(builder) builds just before it.
void replaceLocal(Instruction *A, function_ref<Value *(IRBuilder<> &)> make) {
  SmallVector<Instruction *> users;
  for (User *U : A->users())
    users.push_back(cast<Instruction>(U));
  for (Instruction *I : users) {
    if (I->isLifetimeStartOrEnd()) {
      I->eraseFromParent();
      continue;
    }
    if (auto *phi = dyn_cast<PHINode>(I)) {
      DenseMap<BasicBlock *, Value *> made;
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (phi->getIncomingValue(i) == A) {
          BasicBlock *from = phi->getIncomingBlock(i);
          Value *&value = made[from];
          if (!value) {
            IRBuilder<> B(from->getTerminator());
            value = make(B);
          }
          phi->setIncomingValue(i, value);
        }
      continue;
    }
    if (!is_contained(I->operands(), A))
      continue; // an earlier use by the same instruction has replaced all its operands
    IRBuilder<> B(I);
    I->replaceUsesOfWith(A, make(B));
  }
}

// Sanitizers and debuggers tell locals apart by their addresses.
bool Splitter::localsShare() const {
  return !F.hasFnAttribute(Attribute::OptimizeNone) && !F.hasFnAttribute(Attribute::SanitizeAddress) &&
         !F.hasFnAttribute(Attribute::SanitizeHWAddress) && !F.hasFnAttribute(Attribute::SanitizeMemory) &&
         !F.hasFnAttribute(Attribute::SanitizeThread);
}

// A branch may use a local until the `finish` around it, after the end of the block that declares it.
void Splitter::layOutHomes(ArrayRef<AllocaInst *> homes) {
  if (F.hasFnAttribute(Attribute::SanitizeAddress)) {
    guards.emplace(abi, homes);
    homesAlign = std::max(homesAlign, guards->align);
    homesEnd = guards->size;
    for (AllocaInst *A : homes)
      homeOffsets.push_back({A, guards->offsetOf(A)});
    return;
  }
  SmallPtrSet<const AllocaInst *, 8> always;
  if (asyncs > 0 || !localsShare())
    always.insert(homes.begin(), homes.end());
  const Layout layout = layOut(F, homes, always);
  homesAlign = std::max(homesAlign, layout.align);
  homesEnd = layout.end;
  for (auto [A, offset] : zip(homes, layout.offsets))
    homeOffsets.push_back({A, offset});
}

// With `again` the code takes the frame unless it has been taken already.
void Splitter::takeFrame(Instruction *before, bool again) {
  IRBuilder<> B(before);
  if (!B.getCurrentDebugLocation())
    B.SetCurrentDebugLocation(atEntry());
  BasicBlock *asks = before->getParent();
  Value *known = nullptr;
  if (again) {
    known = B.CreateAlignedLoad(abi.Ptr, frameSlot, Align(8));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNull(known), before->getIterator(), false));
    for (Point &P : points)
      if (P.before == asks)
        P.before = before->getParent();
  }
  Value *later = PoisonValue::get(abi.Ptr);
  CallInst *taken = guards ? B.CreateCall(abi.frameNewGuarded(), {later, later}, "frame")
                           : B.CreateCall(abi.frameNew(), {later}, "frame");
  B.CreateAlignedStore(taken, frameSlot, Align(8));
  takings.push_back(taken);
  if (!again) {
    frames.push_back(taken);
    return;
  }
  PHINode *either = PHINode::Create(abi.Ptr, 2, "frame", before->getParent()->begin());
  either->addIncoming(known, asks);
  either->addIncoming(taken, taken->getParent());
  frames.push_back(either);
}

SmallVector<Instruction *> Splitter::endsOfActivation() const {
  SmallVector<Instruction *> ends;
  for (BasicBlock &BB : F)
    if (Instruction *end = endOfActivation(BB))
      ends.push_back(end);
  return ends;
}

void Splitter::giveFrame(Instruction *before, Value *taken) {
  IRBuilder<>(before).CreateCall(abi.frameFree(), {taken});
}

// Gives the frame back where the last home's lifetime ends. Neither the entry nor a way that takes no frame has an
// instruction for it then.
void Splitter::giveFramesEarly(const Tenure &tenure) {
  withFrame = tenure.points;
  const DominatorTree tree(F);
  for (Instruction *end : tenure.given) {
    auto surely = find_if(frames, [&](const Instruction *taken) { return tree.dominates(taken, end); });
    giveFrame(end, surely != frames.end() ? static_cast<Value *>(*surely)
                                          : IRBuilder<>(end).CreateAlignedLoad(abi.Ptr, frameSlot, Align(8)));
  }
}

// The frame is given back where the activation ends. Where it is not certain that one has been taken, the frame's slot
// tells.
void Splitter::giveFrames(const Taking &taking) {
  const DominatorTree tree(F);
  SmallVector<Instruction *> unsure;
  for (Instruction *end : endsOfActivation()) {
    auto surely = find_if(frames, [&](const Instruction *taken) { return tree.dominates(taken, end); });
    if (surely != frames.end())
      giveFrame(end, *surely);
    else if (taking.reached.contains(end->getParent()))
      unsure.push_back(end);
  }
  for (Instruction *end : unsure) {
    IRBuilder<> B(end);
    Value *taken = B.CreateAlignedLoad(abi.Ptr, frameSlot, Align(8));
    giveFrame(SplitBlockAndInsertIfThen(B.CreateIsNotNull(taken), end->getIterator(), false), taken);
  }
}

void Splitter::takeFrames(ArrayRef<AllocaInst *> homes) {
  // A branch that was started by `async` may use a home until the `finish` around it.
  const bool always = guards || asyncs > 0 || F.hasFnAttribute(Attribute::OptimizeNone);
  if (!always)
    for (AllocaInst *A : homes)
      for (User *U : make_early_inc_range(A->users()))
        if (isRepeatable(U))
          repeatAddress(cast<GetElementPtrInst>(U));
  const Taking taking(F, homes, always);
  SmallVector<Instruction *> places;
  for (const Taking::Place &place : taking.places)
    places.push_back(Taking::positionIn(*place.block, homes));
  takesFrameLate = !taking.atEntry();
  // The runtime tolerates an activity that knows a local until the function returns.
  std::optional<Tenure> tenure;
  if (takesFrameLate && none_of(instructions(F), [](const Instruction &I) { return charcoal::calls(I, "ch_spawn"); }))
    tenure = Tenure::find(F, homes, places, endsOfActivation(), points);
  if (!tenure && !taking.isSeldom) {
    takesFrameLate = false;
    if (mayKeepFrame()) {
      keepFrame();
      return;
    }
  }
  IRBuilder<> top(&*body->getFirstNonPHIIt());
  frameSlot = top.CreateAlloca(abi.Ptr, nullptr, "frame.slot");
  frameSlot->setAlignment(Align(8));
  slots.push_back(frameSlot);
  if (tenure) {
    for (Instruction *place : places)
      takeFrame(place, false);
    giveFramesEarly(*tenure);
    return;
  }
  if (!taking.isSeldom) {
    takeFrame(afterAllocas(*body), false);
    for (Instruction *end : endsOfActivation())
      giveFrame(end, frames.front());
    return;
  }
  IRBuilder<> B(afterAllocas(*body));
  B.CreateAlignedStore(ConstantPointerNull::get(abi.Ptr), frameSlot, Align(8));
  for (auto [place, at] : zip(taking.places, places))
    takeFrame(at, place.again);
  giveFrames(taking);
}

// Locals with fixed addresses live in the frame, which is taken where the first of them is used, or at the entry.
void Splitter::moveHomes(const Locals &locals) {
  SmallVector<AllocaInst *> homes;
  for (auto &[A, kind] : locals.classes)
    if (kind == LocalClass::Home)
      homes.push_back(A);
  if (homes.empty()) {
    if (mayKeepFrame())
      keepFrame();
    return;
  }
  layOutHomes(homes);
  takeFrames(homes);
  DominatorTree tree;
  if (takesFrameLate)
    tree.recalculate(F);
  // Offsets count from the beginning of the homes until the image is laid out, which decides where that is.
  for (auto &home : homeOffsets) {
    if (guards)
      guards->markScopes(home.first);
    replaceLocal(home.first, [&](IRBuilder<> &B) {
      if (keptFrame) {
        Instruction *address = inKeptFrame(B, home.second);
        address->setMetadata("charcoal.home", MDNode::get(abi.C, {}));
        return address;
      }
      auto taken = find_if(frames, [&](const Instruction *frame) {
        return !takesFrameLate || tree.dominates(frame->getParent(), B.GetInsertBlock());
      });
      Instruction *address = GetElementPtrInst::CreateInBounds(abi.I8, *taken, {B.getInt64(home.second)});
      B.Insert(address);
      address->setMetadata("charcoal.home", MDNode::get(abi.C, {}));
      return address;
    });
  }
}

// Decides for each local whether it stays on the native stack, or becomes a slot of the image or a home.
void Splitter::placeLocals() {
  Locals locals(F, points, CrossingValues(F, points));
  if (F.hasFnAttribute(Attribute::SanitizeAddress))
    for (auto &[A, kind] : locals.classes)
      if (Guards::guards(*A)) {
        kind = LocalClass::Home;
        locals.unmarked.erase(A);
      }
  for (auto &[A, kind] : locals.classes)
    if (kind == LocalClass::Image) {
      slots.push_back(A);
      if (!localsShare())
        aloneInImage.insert(A);
    }
  for (AllocaInst *A : locals.unmarked)
    dropLifetimes(A);
  moveHomes(locals);
}

} // namespace charcoal
