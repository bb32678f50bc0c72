// Pass `split`: interruptible versions become able to suspend.
//
//   takes   functions marked "charcoal-version-of" with their suspending calls and yields (marks.h), optimised as
//   ordinary code leaves  functions that return {status, T}; one body each, entered at the top or through its dispatch;
//   frame
//           descriptions for the runtime; no mark
//
//     define i32 @f.int(i32 %x) {          define {i32, i32} @f.int(i32 %x) {
//       call void @charcoal.yield()          %image = alloca [4 x i8]
//       %a = call i32 @g.int(i32 %x) #s      br (ch_tls.attention != 0), %cold, %body
//       %b = add i32 %a, %x                cold:     br ch_tls.entering, %dispatch, %yield
//       ret i32 %b                         dispatch: {point, v'} = call @ch_restore(%image); br %after
//     }                                    yield:    musttail the entry thunk
//                                          body:     store %x, %image; {s, v} = call @g.int(%x); br s, %suspend, %after
//                                          after:    a = phi(v, v'); x' = load %image; ret {0, add a, x'}
//                                          suspend:  ret {call @ch_suspend(@f.info, %image, 1, s), poison}
//                                          }
//
// Every edge by which an activation can be entered again is there in the control-flow graph, so whatever runs after
// this pass is correct without knowing about suspension. Alone: opt -load-pass-plugin charcoal-plugin.so
// -passes=charcoal-split
#include "split.h"
#include "abi.h"
#include "addresses.h"
#include "async.h"
#include "bfloat.h"
#include "crossing.h"
#include "glue.h"
#include "guards.h"
#include "layout.h"
#include "marks.h"
#include "options.h"
#include "promises.h"
#include "places.h"
#include "scalable.h"
#include "tailcalls.h"
#include "taking.h"
#include "webs.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include <optional>

using namespace llvm;

namespace charcoal {

namespace {

// Splits one function, which already has its new type.
class Splitter {
public:
  Splitter(Abi &abi, Glue &glue, Function &F, const Signature &signature, StringRef name)
      : abi(abi), glue(glue), F(F), M(abi.M), DL(M.getDataLayout()), signature(signature), result(signature.result),
        name(name) {}
  void run();

private:
  void takeEntryYield();
  void rewriteTailCalls();
  void collectPoints();
  void copyByvalArguments();
  void lowerDynamicLocals();
  void makePoints();
  void makeAsyncPoint(CallInst *, Value *status, Value *scope, BasicBlock *after);
  void repeatAddresses(const CrossingValues &);
  void repeatCheap();
  void repeatAddress(GetElementPtrInst *);
  bool localsShare() const;
  void layOutHomes(ArrayRef<AllocaInst *> homes);
  void moveHomes(const Locals &);
  void takeFrames(ArrayRef<AllocaInst *> homes);
  void takeFrame(Instruction *before, bool again);
  void giveFrames(const Taking &);
  bool isFrame(const Value *V) const { return is_contained(frames, V); }
  void connect();
  using ValueSet = DenseSet<const llvm::Value *>;
  void keep();
  ValueSet valuesInRegister(const CrossingValues &, const BlockFrequencyInfo &);
  ValueSet chooseSlots(std::optional<CrossingValues> &);
  void makeWebs(const Webs &);
  void choosePhisInMemory(const Webs &, const CrossingValues &, const BlockFrequencyInfo &);
  bool isResult(const PHINode &phi) const { return resultPhis.contains(&phi); }
  bool belongsInMemory(const CrossingValues &, const CrossingValues::Value &, const BlockFrequencyInfo &) const;
  void eraseInMemory();
  void keepInRegister(const CrossingValues &, const CrossingValues::Value &);
  void keepInImage(const CrossingValues &, const CrossingValues::Value &);
  struct Uses {
    SmallVector<Use *> reloaded, behindYields, direct;
    SmallVector<unsigned> yields; // behind which the value is still in its register
  };
  Uses usesOf(const CrossingValues &, const CrossingValues::Value &) const;
  Instruction *placeOfUse(const Use &) const;
  void loadForUses(ArrayRef<Use *>, AllocaInst *slot, const Twine &name);
  SmallVector<unsigned> yieldsInRegister(const CrossingValues::Value &) const;
  using Blocks = SmallPtrSet<const BasicBlock *, 16>;
  Blocks reachedFromOthers(const CrossingValues &, const CrossingValues::Value &, ArrayRef<unsigned> yields) const;
  AllocaInst *newSlot(Type *, const Twine &name);
  void layOutImage();
  SmallVector<Value *> argumentsKeptByVariables(BasicBlock *entry, BasicBlock *yield);
  void addEntry();
  BasicBlock &addSuspendTail();
  PHINode *countPoints(BasicBlock *suspend, unsigned group, unsigned unit);
  Value *reloadResult(IRBuilder<> &, Type *, Value *word);
  bool isWord(Type *) const;
  void passResultsThroughMemory();
  DebugLoc atEntry() const;
  DebugLoc placeOfCheck() const;
  void rewriteReturns();
  void makeInfos();
  CallInst *newCall(CallInst *);
  Instruction *afterAllocas(BasicBlock &) const;
  Instruction *endOfActivation(BasicBlock &) const;

  Abi &abi;
  Glue &glue;
  Function &F;
  Module &M;
  const DataLayout &DL;
  const Signature &signature;
  Type *result; // T
  StringRef name;

  bool yieldsAtEntry = false;
  SmallPtrSet<const Instruction *, 4> tailCalls;
  SmallVector<CallInst *> calls; // what becomes points
  unsigned asyncs = 0;           // the first so many of them are `async` statements
  SmallVector<Point> points;
  SmallVector<Value *> statuses;               // of points[k], at the end of its block
  SmallVector<PHINode *> results;              // of points[k]: value of the call, or null
  SmallPtrSet<const PHINode *, 16> resultPhis; // the same
  SmallVector<uint64_t> frequencies;           // of points[k]; none where code is to be small
  BasicBlock *dispatch = nullptr;
  CallInst *restore = nullptr;                // in it
  Value *restoredWord = nullptr;              // the first word of the result of the call that has been waited for
  SmallVector<BasicBlock *> suspendingBlocks; // of points[k]: on the way to suspension
  SmallVector<BasicBlock *> restoredBlocks;   // of points[k]: on the way back
  BasicBlock *body = nullptr;                 // where the activation begins
  AllocaInst *dynamicLocals = nullptr;        // head of the list of variable-length locals
  SmallVector<Instruction *, 2> frames;       // the frame, if there are homes: behind each place of `Taking`
  SmallVector<CallInst *, 2> takings;         // there
  bool takesFrameLate = false;                // until it is taken the slot holds null
  AllocaInst *frameSlot = nullptr;            // holds it, in the image
  Value *framePlace = nullptr;                // the slot's address, once laid out
  std::optional<Guards> guards;               // between the homes, under AddressSanitizer
  uint64_t homesEnd = 0;                      // offset in the frame's home part
  Align homesAlign{8};
  SmallVector<std::pair<AllocaInst *, uint64_t>> homeOffsets;
  SmallVector<AllocaInst *> slots;                 // everything that is part of the image
  SmallPtrSet<const AllocaInst *, 8> aloneInImage; // those that share their places with no other
  struct SharedSlot {
    AllocaInst *slot;
    SmallBitVector points; // where it is taken
  };
  std::vector<SharedSlot> sharedSlots;
  DenseMap<const Value *, AllocaInst *> webSlots;        // of the members of webs
  DenseMap<const BasicBlock *, Instruction *> webStores; // the first of those at the end of a block
  SmallSetVector<PHINode *, 8> inMemory;                 // members that are in their slot alone
  AllocaInst *image = nullptr;
  uint64_t imageSize = 0;
  uint64_t homesStart = 0;
  GlobalVariable *info = nullptr;        // of the frame, homes included
  GlobalVariable *infoWithout = nullptr; // of one that is saved before the frame is taken
};

} // namespace

Instruction *Splitter::afterAllocas(BasicBlock &BB) const {
  BasicBlock::iterator at = BB.getFirstNonPHIIt();
  while (isa<AllocaInst>(*at))
    ++at;
  return &*at;
}

// A yield before anything has happened needs no frame of this function: the entry thunk saves the arguments. The check
// stands at the entry whether or not the marker is still there.
void Splitter::takeEntryYield() {
  yieldsAtEntry = options().yields != Yields::None && !options().stress;
  for (Instruction &I : F.getEntryBlock()) {
    if (isYield(I)) {
      I.eraseFromParent();
      yieldsAtEntry = true;
      return;
    }
    if (isa<AllocaInst>(I) || I.isLifetimeStartOrEnd())
      continue;
    if (I.isTerminator() || I.mayHaveSideEffects() || I.mayReadFromMemory())
      return;
  }
}

// ---- calls ----

CallInst *Splitter::newCall(CallInst *old) {
  Signature S = Signature::of(*old);
  Value *callee = old->getCalledOperand();
  if (auto *version = dyn_cast<Function>(callee); version && version->hasFnAttribute(ExternalVersionAttr)) {
    StringRef plainName = version->getFnAttribute(ExternalVersionAttr).getValueAsString();
    auto *plain = cast<Function>(M.getOrInsertFunction(plainName, S.plainType()).getCallee()->stripPointerCasts());
    callee = glue.external(S, plain, version);
  }
  IRBuilder<> B(old);
  SmallVector<Value *> arguments(old->args());
  CallInst *call = B.CreateCall(S.versionType(abi), callee, arguments);
  call->setAttributes(S.versionAttributes(abi.C));
  if (old->doesNotThrow())
    call->setDoesNotThrow();
  call->setDebugLoc(old->getDebugLoc());
  return call;
}

// The callee's frame will be linked to our caller's. What we own is given back before the call (endOfActivation).
void Splitter::rewriteTailCalls() {
  for (CallInst *old : findTailCalls(F)) {
    auto *R = cast<ReturnInst>(old->getParent()->getTerminator());
    CallInst *call = newCall(old);
    const bool forced = old->isMustTailCall() && call->getFunctionType() == F.getFunctionType();
    call->setTailCallKind(forced ? CallInst::TCK_MustTail : CallInst::TCK_Tail);
    IRBuilder<> B(R);
    if (call->getType() == F.getReturnType())
      B.CreateRet(call);
    else
      B.CreateRet(abi.makeResult(B, result, abi.status(B, call), nullptr));
    R->eraseFromParent();
    if (!old->use_empty())
      old->replaceAllUsesWith(PoisonValue::get(old->getType()));
    old->eraseFromParent();
    tailCalls.insert(call);
  }
}

void Splitter::collectPoints() {
  SmallVector<CallInst *> others;
  for (Instruction &I : instructions(F))
    if (isSuspendingCall(I) || isYield(I) || isPause(I))
      (isAsync(cast<CallInst>(I)) ? calls : others).push_back(cast<CallInst>(&I));
  asyncs = calls.size();
  if (asyncs > UINT16_MAX) // struct ch_frame_info
    error(F, "more than 65535 'async' statements in one function; divide it");
  calls.append(others);
}

// ---- locals ----

static void dropLifetimes(AllocaInst *A) {
  for (User *U : make_early_inc_range(A->users()))
    if (auto *I = dyn_cast<Instruction>(U); I && I->isLifetimeStartOrEnd())
      I->eraseFromParent();
}

// What Swift's calling convention calls the place of an error is a register: only loads, stores and calls may use such
// a local, so it cannot be in a frame. Another one holds the value, and is copied there and back around each call; none
// of these calls can suspend.
static void copySwiftErrors(Function &F) {
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

// Where a block leaves the function: what the activation owns is given back before it.
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

// A by-value argument is still the caller's.
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

// Variable-length arrays and alloca: blocks on a list; the stack pointer is a position in it.
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

// ---- points ----

// Each point gets a block of its own behind it. The edges to suspension and from resumption come later (connect), so
// that the analyses see the plain function.
void Splitter::makePoints() {
  MDNode *unlikely = MDBuilder(abi.C).createUnlikelyBranchWeights();
  body = &F.getEntryBlock();
  // A block is cut from its end, so that little is moved each time.
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
    if (isSuspendingCall(*old)) {
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
      B.CreateCondBr(B.CreateIsNotNull(status), after, after, unlikely); // the first becomes the edge to suspension
    } else if (isYield(*old)) {
      B.SetInsertPoint(old);
      Value *attention = B.CreateIsNotNull(abi.loadAttention(B));
      B.SetInsertPoint(before);
      B.CreateCondBr(attention, after, after, unlikely);
      status = B.getInt32(CH_PAUSED);
    } else {
      B.SetInsertPoint(before);
      B.CreateBr(after);
      status = B.getInt32(CH_PAUSED);
    }
    points.push_back({at, before, after});
    statuses.push_back(status);
    results.push_back(value);
    resultPhis.insert(value);
  }
}

// Blocked: the body has become a branch, and we go on. Paused: so are we, and the continuation is due.
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
  B.CreateBr(resumed); // becomes the edge to suspension
  B.SetInsertPoint(resumed);
  B.CreateCall(abi.asyncResumed(), {scope});
  B.CreateBr(after);
  points.push_back({call, paused, resumed});
  statuses.push_back(B.getInt32(CH_PAUSED));
  results.push_back(nullptr);
}

// Replaces each of the uses by what make(where) builds just before it. Several edges from one block to a phi are one
// use: the phi must not see different values of them.
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
  SmallVector<Use *> uses;
  for (Use &U : G->uses())
    uses.push_back(&U);
  replaceUses(uses, [&](Instruction *where) {
    IRBuilder<> B(where);
    return B.CreateInBoundsGEP(abi.I8, root, {B.getInt(offset)});
  });
  G->eraseFromParent();
}

// The only operand that is not constant of one cheap operation; else null.
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

// One operation with constants is computed anew where its result is used, and needs no slot, if its operand has one
// anyway: because it crosses some point, or does instead of several such results.
void Splitter::repeatCheap() {
  if (F.hasFnAttribute(Attribute::OptimizeNone))
    return;
  CrossingValues crossing(F, points);
  DenseMap<const Value *, unsigned> slots; // that a value has, or would spare
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
    for (Use &U : I->uses()) {
      auto *user = cast<Instruction>(U.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      if (crossing.isReloaded(V, phi ? phi->getIncomingBlock(U) : user->getParent()))
        uses.push_back(&U);
    }
    replaceUses(uses, [&](Instruction *where) {
      Instruction *again = I->clone();
      again->insertBefore(where->getIterator());
      return again;
    });
  }
}

// Replaces the uses of a local by what make(builder) builds just before each.
static void replaceLocal(AllocaInst *A, function_ref<Value *(IRBuilder<> &)> make) {
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
      continue; // done already
    IRBuilder<> B(I);
    I->replaceUsesOfWith(A, make(B));
  }
}

// Sanitizers and debuggers tell locals apart by their places.
bool Splitter::localsShare() const {
  return !F.hasFnAttribute(Attribute::OptimizeNone) && !F.hasFnAttribute(Attribute::SanitizeAddress) &&
         !F.hasFnAttribute(Attribute::SanitizeHWAddress) && !F.hasFnAttribute(Attribute::SanitizeMemory) &&
         !F.hasFnAttribute(Attribute::SanitizeThread);
}

// A branch may use a local until the `finish` around it, behind the end of the block that declares it.
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

// `again`: unless it has been taken already.
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

// What an activation has taken it gives back where it ends. Where it may or may not have taken a frame, the slot says
// so.
void Splitter::giveFrames(const Taking &taking) {
  SmallVector<Instruction *> ends;
  for (BasicBlock &BB : F)
    if (Instruction *end = endOfActivation(BB))
      ends.push_back(end);
  auto give = [&](Instruction *at, Value *taken) { IRBuilder<>(at).CreateCall(abi.frameFree(), {taken}); };
  if (taking.atEntry()) {
    for (Instruction *end : ends)
      give(end, frames.front());
    return;
  }
  const DominatorTree tree(F);
  SmallVector<Instruction *> unsure;
  for (Instruction *end : ends) {
    auto surely = find_if(frames, [&](const Instruction *taken) { return tree.dominates(taken, end); });
    if (surely != frames.end())
      give(end, *surely);
    else if (taking.reached.contains(end->getParent()))
      unsure.push_back(end);
  }
  for (Instruction *end : unsure) {
    IRBuilder<> B(end);
    Value *taken = B.CreateAlignedLoad(abi.Ptr, frameSlot, Align(8));
    give(SplitBlockAndInsertIfThen(B.CreateIsNotNull(taken), end->getIterator(), false), taken);
  }
}

void Splitter::takeFrames(ArrayRef<AllocaInst *> homes) {
  IRBuilder<> top(&*body->getFirstNonPHIIt());
  frameSlot = top.CreateAlloca(abi.Ptr, nullptr, "frame.slot");
  frameSlot->setAlignment(Align(8));
  slots.push_back(frameSlot);
  // A branch that was started by `async` may use a home until the `finish` around it.
  const bool always = guards || asyncs > 0 || F.hasFnAttribute(Attribute::OptimizeNone);
  if (!always)
    for (AllocaInst *A : homes)
      for (User *U : make_early_inc_range(A->users()))
        if (isRepeatable(U))
          repeatAddress(cast<GetElementPtrInst>(U));
  const Taking taking(F, homes, always);
  takesFrameLate = !taking.atEntry();
  if (takesFrameLate) {
    IRBuilder<> B(afterAllocas(*body));
    B.CreateAlignedStore(ConstantPointerNull::get(abi.Ptr), frameSlot, Align(8));
    for (const auto [BB, again] : taking.places)
      takeFrame(Taking::positionIn(*BB, homes), again);
  } else {
    takeFrame(afterAllocas(*body), false);
  }
  giveFrames(taking);
}

// Locals with fixed addresses live in the frame, which is taken where the first of them is used, or at the entry.
void Splitter::moveHomes(const Locals &locals) {
  SmallVector<AllocaInst *> homes;
  for (auto &[A, kind] : locals.classes)
    if (kind == LocalClass::Home)
      homes.push_back(A);
  if (homes.empty())
    return;
  layOutHomes(homes);
  takeFrames(homes);
  DominatorTree tree;
  if (takesFrameLate)
    tree.recalculate(F);
  // Where the homes begin is known when the image is laid out; until then their offsets count from there.
  for (auto &home : homeOffsets) {
    if (guards)
      guards->markScopes(home.first);
    replaceLocal(home.first, [&](IRBuilder<> &B) {
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

// Now the edges: before -> suspending -> (suspend), dispatch -> restored -> after. Only the dispatch is not reached
// yet.
void Splitter::connect() {
  dispatch = BasicBlock::Create(abi.C, "dispatch", &F);
  auto *lost = BasicBlock::Create(abi.C, "lost", &F);
  new UnreachableInst(abi.C, lost);
  IRBuilder<> D(dispatch);
  D.SetCurrentDebugLocation(atEntry());
  restore = D.CreateCall(abi.restore(), {PoisonValue::get(abi.Ptr)}); // the image comes later
  restoredWord = D.CreateExtractValue(restore, 1);
  // One value that is used behind every one of many points would take the register allocator time that grows with the
  // square of their number.
  constexpr unsigned many = 64;
  AllocaInst *wordPlace = nullptr;
  if (points.size() > many && !F.hasFnAttribute(Attribute::OptimizeNone)) {
    IRBuilder<> top(&*body->getFirstNonPHIIt());
    wordPlace = top.CreateAlloca(abi.Size, nullptr, "word");
    D.CreateStore(restoredWord, wordPlace);
  }
  SwitchInst *choose = D.CreateSwitch(D.CreateTrunc(D.CreateExtractValue(restore, 0), abi.I32), lost, points.size());
  for (unsigned k = 0; k < points.size(); ++k) {
    Point &P = points[k];
    auto *suspending = BasicBlock::Create(abi.C, "suspending", &F);
    auto *restored = BasicBlock::Create(abi.C, "restored", &F);
    IRBuilder<> S(suspending), R(restored);
    S.SetCurrentDebugLocation(atEntry()); // a debugger knows by this line that the function is on its way out
    R.SetCurrentDebugLocation(P.at->getDebugLoc());
    S.CreateUnreachable(); // until there is a tail to go to
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

// What is all in the first word of a result.
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

// Without optimisation a result that is a word takes the same way whether the call returned or was resumed: through one
// place on the stack. It is as wide as the widest of them, for deep recursions feel every eight bytes.
void Splitter::passResultsThroughMemory() {
  if (!F.hasFnAttribute(Attribute::OptimizeNone))
    return;
  SmallVector<unsigned> passed; // numbers of points
  uint64_t bits = 0;
  for (unsigned k = 0; k < points.size(); ++k)
    if (results[k] && isWord(results[k]->getType()) && DL.getTypeSizeInBits(results[k]->getType()) % 8 == 0) {
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

DebugLoc Splitter::atEntry() const {
  DISubprogram *place = F.getSubprogram();
  return place ? DebugLoc(DILocation::get(abi.C, place->getScopeLine(), 0, place)) : DebugLoc();
}

AllocaInst *Splitter::newSlot(Type *T, const Twine &name) {
  IRBuilder<> top(&*body->getFirstNonPHIIt());
  AllocaInst *slot = top.CreateAlloca(T, nullptr, name + ".slot");
  slot->setAlignment(DL.getABITypeAlign(T));
  slots.push_back(slot);
  if (F.hasFnAttribute(Attribute::OptimizeNone))
    aloneInImage.insert(slot);
  return slot;
}

// The value stays in a register: saved on the way to suspension, reloaded on the way back. Its place
// in the image may serve another such value that crosses other points.
void Splitter::keepInRegister(const CrossingValues &crossing, const CrossingValues::Value &V) {
  Type *T = V.value->getType();
  SmallBitVector crossed(points.size());
  for (unsigned k : V.points)
    crossed.set(k);
  SharedSlot *place = nullptr;
  for (SharedSlot &S : sharedSlots)
    if (S.slot->getAllocatedType() == T && !S.points.anyCommon(crossed)) {
      place = &S;
      break;
    }
  if (!place) {
    sharedSlots.push_back({newSlot(T, V.value->getName()), SmallBitVector(points.size())});
    place = &sharedSlots.back();
  }
  place->points |= crossed;

  SmallVector<Use *> uses;
  for (Use &U : V.value->uses()) {
    auto *I = cast<Instruction>(U.getUser());
    BasicBlock *BB = isa<PHINode>(I) ? cast<PHINode>(I)->getIncomingBlock(U) : I->getParent();
    if (crossing.isReloaded(V, BB))
      uses.push_back(&U);
  }
  SSAUpdater values;
  values.Initialize(T, V.value->getName());
  auto *I = dyn_cast<Instruction>(V.value);
  values.AddAvailableValue(I ? I->getParent() : body, V.value);
  for (unsigned k : V.points) {
    IRBuilder<> R(restoredBlocks[k]->getTerminator());
    values.AddAvailableValue(restoredBlocks[k], R.CreateAlignedLoad(T, place->slot, place->slot->getAlign()));
  }
  for (unsigned k : V.points) {
    IRBuilder<> S(suspendingBlocks[k]->getTerminator());
    S.CreateAlignedStore(values.GetValueAtEndOfBlock(points[k].before), place->slot, place->slot->getAlign());
  }
  for (Use *U : uses)
    values.RewriteUse(*U);
}

static bool isYieldOrPause(const Instruction &I) { return isYield(I) || isPause(I); }

static constexpr unsigned Few = 6; // points at which a value is reloaded in cold code

// The yields behind which a value in the image is still in its register.
SmallVector<unsigned> Splitter::yieldsInRegister(const CrossingValues::Value &V) const {
  SmallVector<unsigned> yields;
  if (!frequencies.empty())
    copy_if(V.points, std::back_inserter(yields), [&](unsigned k) { return isYieldOrPause(*points[k].at); });
  sort(yields, [&](unsigned a, unsigned b) { return std::pair(frequencies[b], a) < std::pair(frequencies[a], b); });
  yields.truncate(std::min<size_t>(yields.size(), Few));
  return yields;
}

// The blocks that are reached from a point other than these yields while the value is alive.
Splitter::Blocks Splitter::reachedFromOthers(const CrossingValues &crossing, const CrossingValues::Value &V,
                                             ArrayRef<unsigned> yields) const {
  Blocks reached;
  SmallVector<const BasicBlock *> work;
  auto enter = [&](const BasicBlock *BB) {
    if (crossing.isReloaded(V, BB) && reached.insert(BB).second)
      work.push_back(BB);
  };
  for (unsigned k : V.points)
    if (!is_contained(yields, k))
      enter(points[k].after);
  while (!work.empty())
    for (const BasicBlock *next : successors(work.pop_back_val()))
      enter(next);
  return reached;
}

// The instruction before which a value has to be loaded for a use. What is stored into slots of webs at the end of a
// block, for phis behind it, comes after all loads.
Instruction *Splitter::placeOfUse(const Use &U) const {
  BasicBlock *BB = blockOfUse(U);
  auto *I = cast<Instruction>(U.getUser());
  Instruction *at = isa<PHINode>(I) ? BB->getTerminator() : I;
  Instruction *stores = webStores.lookup(BB);
  return stores && stores->comesBefore(at) ? stores : at;
}

Splitter::Uses Splitter::usesOf(const CrossingValues &crossing, const CrossingValues::Value &V) const {
  Uses uses;
  uses.yields = yieldsInRegister(V);
  const Blocks others = uses.yields.empty() ? Blocks() : reachedFromOthers(crossing, V, uses.yields);
  erase_if(uses.yields, [&](unsigned k) { return others.contains(points[k].after); });
  for (Use &U : V.value->uses()) {
    BasicBlock *BB = blockOfUse(U);
    if (auto *phi = dyn_cast<PHINode>(U.getUser()); phi && inMemory.contains(phi))
      continue;
    if (V.points.empty() || !crossing.isReloaded(V, BB))
      uses.direct.push_back(&U);
    else if (!uses.yields.empty() && !others.contains(BB))
      uses.behindYields.push_back(&U);
    else
      uses.reloaded.push_back(&U);
  }
  return uses;
}

// One load in each block.
void Splitter::loadForUses(ArrayRef<Use *> uses, AllocaInst *slot, const Twine &name) {
  DenseMap<BasicBlock *, Instruction *> firstUse;
  for (Use *U : uses) {
    Instruction *&first = firstUse[blockOfUse(*U)];
    Instruction *at = placeOfUse(*U);
    if (!first || at->comesBefore(first))
      first = at;
  }
  DenseMap<BasicBlock *, Value *> loads;
  for (Use *U : uses) {
    BasicBlock *BB = blockOfUse(*U);
    Value *&load = loads[BB];
    if (!load) {
      IRBuilder<> B(firstUse[BB]);
      load = B.CreateAlignedLoad(slot->getAllocatedType(), slot, slot->getAlign(), name);
    }
    U->set(load);
  }
}

// The value lives in the image: stored where it is defined, loaded once in each block that may be reached from a
// resumption. Behind the most frequent yields it is loaded on the way back only.
void Splitter::keepInImage(const CrossingValues &crossing, const CrossingValues::Value &V) {
  Type *T = V.value->getType();
  AllocaInst *slot = isFrame(V.value) ? frameSlot : webSlots.lookup(V.value);
  if (!slot)
    slot = newSlot(T, V.value->getName());
  if (auto *call = dyn_cast<CallInst>(V.value); call && call->getCalledOperand() == abi.alloca_().getCallee())
    aloneInImage.insert(slot);
  // A variable-length local is declared by its address, which a debugger finds in the slot from now on.
  if (!findDVRDeclares(V.value).empty()) {
    DIBuilder debug(M, false);
    replaceDbgDeclare(V.value, slot, debug, DIExpression::DerefBefore, 0);
  }
  Uses uses = usesOf(crossing, V);
  auto *phi = dyn_cast<PHINode>(V.value);
  if (phi && inMemory.contains(phi)) {
    uses.reloaded.append(uses.behindYields);
    uses.reloaded.append(uses.direct);
    loadForUses(uses.reloaded, slot, phi->getName());
    return;
  }
  loadForUses(uses.reloaded, slot, V.value->getName());
  if (!uses.behindYields.empty()) {
    SSAUpdater values;
    values.Initialize(T, V.value->getName());
    auto *I = dyn_cast<Instruction>(V.value);
    values.AddAvailableValue(I ? I->getParent() : body, V.value);
    for (unsigned k : uses.yields) {
      IRBuilder<> R(restoredBlocks[k]->getTerminator());
      values.AddAvailableValue(restoredBlocks[k], R.CreateAlignedLoad(T, slot, slot->getAlign()));
    }
    for (Use *U : uses.behindYields)
      values.RewriteUse(*U);
  }
  if (isFrame(V.value) || (phi && !isResult(*phi) && webSlots.contains(phi)))
    return; // stored already
  IRBuilder<> B(abi.C);
  if (isa<Argument>(V.value)) {
    B.SetInsertPoint(afterAllocas(*body));
  } else {
    auto *I = cast<Instruction>(V.value);
    BasicBlock::iterator next = isa<PHINode>(I) ? I->getParent()->getFirstInsertionPt() : std::next(I->getIterator());
    while (isa<AllocaInst>(*next))
      ++next;
    B.SetInsertPoint(I->getParent(), next);
  }
  B.CreateAlignedStore(V.value, slot, slot->getAlign());
}

// ---- webs ----

// Each web gets a slot. It holds what reaches a phi of the web when control does: stored at the end of the block
// before, unless that is a member of the web too.
void Splitter::makeWebs(const Webs &found) {
  for (const Webs::Web &web : found.webs) {
    AllocaInst *slot = newSlot(web.front()->getType(), web.front()->getName());
    for (llvm::Value *member : web)
      webSlots[member] = slot;
    for (llvm::Value *member : web) {
      auto *phi = dyn_cast<PHINode>(member);
      if (!phi || isResult(*phi))
        continue;
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        llvm::Value *value = phi->getIncomingValue(i);
        if (isa<UndefValue>(value) || webSlots.lookup(value) == slot)
          continue;
        BasicBlock *from = phi->getIncomingBlock(i);
        IRBuilder<> B(from->getTerminator());
        webStores.try_emplace(from, B.CreateAlignedStore(value, slot, slot->getAlign()));
      }
    }
  }
}

// A phi of a web need not be in a register if it is used less often there than members of the web reach it.
bool Splitter::belongsInMemory(const CrossingValues &crossing, const CrossingValues::Value &V,
                               const BlockFrequencyInfo &frequency) const {
  auto &phi = cast<PHINode>(*V.value);
  const AllocaInst *slot = webSlots.lookup(&phi);
  uint64_t loads = 0, reached = 0;
  const Uses uses = usesOf(crossing, V);
  SmallPtrSet<const BasicBlock *, 16> blocks;
  for (const SmallVector<Use *> *list : {&uses.direct, &uses.behindYields})
    for (const Use *U : *list) {
      auto *user = dyn_cast<PHINode>(U->getUser());
      const bool joined = user && !isResult(*user) && webSlots.lookup(user) == slot;
      if (!joined && blocks.insert(blockOfUse(*U)).second)
        loads += frequency.getBlockFreq(blockOfUse(*U)).getFrequency();
    }
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
    if (webSlots.lookup(phi.getIncomingValue(i)) == slot)
      reached += frequency.getBlockFreq(phi.getIncomingBlock(i)).getFrequency();
  return loads < reached;
}

void Splitter::eraseInMemory() {
  for (PHINode *phi : inMemory) {
    SmallVector<DbgVariableRecord *> records;
    findDbgValues(phi, records);
    for (DbgVariableRecord *record : records) {
      record->replaceVariableLocationOp(phi, webSlots.lookup(phi));
      if (record->getNumVariableLocationOps() == 1)
        record->setExpression(DIExpression::prepend(record->getExpression(), DIExpression::DerefBefore));
      else
        record->setKillLocation();
    }
    phi->replaceAllUsesWith(PoisonValue::get(phi->getType())); // in others of these
  }
  for (PHINode *phi : inMemory)
    phi->eraseFromParent();
}

// Memory is as good as a callee-saved register for what lives across a call, and takes no prologue. A register is
// better where the value is busy between calls: in a loop whose usual path makes no suspending call.
Splitter::ValueSet Splitter::valuesInRegister(const CrossingValues &crossing, const BlockFrequencyInfo &frequency) {
  ValueSet inRegister;
  frequencies.clear();
  for (const Point &P : points)
    frequencies.push_back(frequency.getBlockFreq(P.before).getFrequency());
  for (const CrossingValues::Value &V : crossing.values) {
    if (V.points.size() > Few || isFrame(V.value))
      continue;
    uint64_t crossed = frequency.getEntryFreq().getFrequency(), busy = 0;
    for (unsigned k : V.points)
      if (!isYieldOrPause(*points[k].at))
        crossed = std::max(crossed, frequencies[k]);
    auto *I = dyn_cast<Instruction>(V.value);
    busy = frequency.getBlockFreq(I ? I->getParent() : body).getFrequency();
    for (User *U : V.value->users())
      busy = std::max(busy, frequency.getBlockFreq(cast<Instruction>(U)->getParent()).getFrequency());
    if (busy / 4 > crossed)
      inRegister.insert(V.value);
  }
  return inRegister;
}

// Decides which of the phis of webs are in memory alone.
void Splitter::choosePhisInMemory(const Webs &found, const CrossingValues &crossing,
                                  const BlockFrequencyInfo &frequency) {
  DenseMap<const llvm::Value *, const CrossingValues::Value *> crosses;
  for (const CrossingValues::Value &V : crossing.values)
    crosses[V.value] = &V;
  for (const Webs::Web &web : found.webs)
    for (llvm::Value *member : web)
      if (auto *phi = dyn_cast<PHINode>(member); phi && !isResult(*phi)) {
        const CrossingValues::Value *known = crosses.lookup(phi), crossesNothing{phi, {}, {}};
        if (belongsInMemory(crossing, known ? *known : crossesNothing, frequency))
          inMemory.insert(phi);
      }
}

// Returns what stays in registers. Everything else has a slot, some of them one for a web. Where a store for a phi
// needs a block of its own, there is one afterwards, and `crossing` speaks of these too.
Splitter::ValueSet Splitter::chooseSlots(std::optional<CrossingValues> &crossing) {
  if (F.hasFnAttribute(Attribute::OptimizeNone) || F.hasOptSize())
    return {};
  for (;;) {
    DominatorTree tree(F);
    LoopInfo loops(tree);
    BranchProbabilityInfo probabilities(F, loops);
    BlockFrequencyInfo frequency(F, probabilities, loops);
    ValueSet inRegister = valuesInRegister(*crossing, frequency), slotted;
    for (const CrossingValues::Value &V : crossing->values)
      if (auto *I = dyn_cast<Instruction>(V.value);
          !isFrame(V.value) && !inRegister.contains(V.value) && !(I && I->isTerminator()))
        slotted.insert(V.value);
    const Webs found(
        F, *crossing, slotted, [&](const PHINode &phi) { return isResult(phi) || inRegister.contains(&phi); },
        frequency, probabilities);
    if (found.withoutPlace.empty()) {
      makeWebs(found);
      choosePhisInMemory(found, *crossing, frequency);
      return inRegister;
    }
    for (auto &[from, to] : found.withoutPlace)
      SplitEdge(from, to);
    crossing.emplace(F, points);
  }
}

void Splitter::keep() {
  std::optional<CrossingValues> crossing(std::in_place, F, points);
  const ValueSet inRegister = chooseSlots(crossing);
  connect();
  for (const CrossingValues::Value &V : crossing->values) {
    // Behind a terminator that defines a value (asm goto) there is no one place to store it.
    auto *I = dyn_cast<Instruction>(V.value);
    if ((I && I->isTerminator()) || inRegister.contains(V.value))
      keepInRegister(*crossing, V);
    else
      keepInImage(*crossing, V);
  }
  SmallPtrSet<const llvm::Value *, 8> kept;
  for (const CrossingValues::Value &V : crossing->values)
    kept.insert(V.value);
  for (PHINode *phi : inMemory)
    if (!kept.contains(phi))
      keepInImage(*crossing, {phi, {}, {}});
  eraseInMemory();
}

void Splitter::layOutImage() {
  if (frameSlot)
    aloneInImage.insert(frameSlot); // the way to suspension will load it
  SmallVector<SlotUses::Resumption> resumptions;
  for (auto [suspending, restored] : zip(suspendingBlocks, restoredBlocks))
    resumptions.push_back({suspending, restored});
  const Layout layout = layOut(F, slots, aloneInImage, resumptions);
  const ArrayRef<uint64_t> offsets = layout.offsets;
  imageSize = alignTo(layout.end, 8); // whole words: the runtime copies it by hand
  homesStart = alignTo(CH_FRAME_HEADER + imageSize, homesAlign);

  // The image and the addresses in it stand before the branch to the dispatch: they hold for every activation.
  BasicBlock *entry = BasicBlock::Create(abi.C, "entry", &F, body);
  IRBuilder<> B(entry);
  image = B.CreateAlloca(ArrayType::get(abi.I8, imageSize), nullptr, "image");
  image->setAlignment(layout.align);
  // Without optimisation an address that is computed in one block costs a place on the stack and an instruction at each
  // use in another. So there each use has its own computation, which becomes part of the instruction.
  const bool anew = F.hasFnAttribute(Attribute::OptimizeNone);
  for (unsigned i = 0; i < slots.size(); ++i) {
    dropLifetimes(slots[i]);
    auto placeOf = [&](IRBuilder<> &B) -> Value * {
      return offsets[i] ? B.CreateConstInBoundsGEP1_64(abi.I8, image, offsets[i], slots[i]->getName()) : image;
    };
    if (anew && slots[i] != frameSlot) {
      DIBuilder debug(M, false);
      replaceDbgDeclare(slots[i], image, debug, DIExpression::ApplyOffset, offsets[i]);
      replaceLocal(slots[i], placeOf);
      slots[i]->eraseFromParent();
      continue;
    }
    Value *place = placeOf(B);
    if (slots[i] == frameSlot)
      framePlace = place;
    slots[i]->replaceAllUsesWith(place);
    slots[i]->eraseFromParent();
  }
  // A debugger finds a home through the frame's slot.
  DIBuilder debug(M, false);
  for (auto &[A, offset] : homeOffsets) {
    replaceDbgDeclare(A, framePlace, debug, DIExpression::DerefBefore, homesStart + offset);
    A->replaceAllUsesWith(PoisonValue::get(A->getType()));
    A->eraseFromParent();
  }
  // Locals that stay on the native stack belong to the entry block, so that they are allocated in every activation.
  for (Instruction &I : make_early_inc_range(*body))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isa<ConstantInt>(A->getArraySize()))
      A->moveBefore(*entry, entry->begin());
  // Now that the image has a size, the homes have places.
  for (Instruction &I : instructions(F))
    if (I.getMetadata("charcoal.home")) {
      uint64_t offset = cast<ConstantInt>(I.getOperand(1))->getZExtValue();
      I.setOperand(1, ConstantInt::get(abi.I64, homesStart + offset));
      I.setMetadata("charcoal.home", nullptr);
    }
}

// ---- the frame's description ----

void Splitter::makeInfos() {
  DISubprogram *place = F.getSubprogram();
  Constant *file = place ? glue.string(place->getFilename()) : nullptr, *lines = linesOfPoints(abi, F, points);
  Constant *inlined = inlinedAtPoints(glue, abi, F, points);
  const unsigned never = F.hasFnAttribute(NeverWaitsAttr) ? CH_FRAME_NEVER_WAITS : 0;
  auto make = [&](uint64_t size, uint64_t align, unsigned flags) {
    return glue.frameInfo("charcoal.info", glue.resumeStub(signature, !tailCalls.empty()), &F, glue.string(name), file,
                          lines, points.size(), alignTo(size, 8), imageSize, align, flags | never, asyncs, inlined);
  };
  const uint64_t without = CH_FRAME_HEADER + imageSize;
  if (frames.empty() || takesFrameLate)
    infoWithout = make(without, 16, 0);
  info = frames.empty() ? infoWithout
                        : make(homesStart + homesEnd, std::max<uint64_t>(16, homesAlign.value()), CH_FRAME_HOME);
  for (CallInst *taken : takings)
    taken->setArgOperand(0, info);
  if (guards)
    takings.front()->setArgOperand(1, guards->description(homesStart));
}

// ---- entry, dispatch, suspension, return ----

// Where a debugger stops that is asked to break on the function: at the check, which so belongs to the first statement.
// Without optimization the arguments are in their places by then.
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
// activation stores nonsense, which ch_restore overwrites.
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

// The check at the entry, and behind it the ways to the entry thunk and to the dispatch.
void Splitter::addEntry() {
  BasicBlock *entry = image ? image->getParent() : BasicBlock::Create(abi.C, "entry", &F, body);
  if (!image)
    for (Instruction &I : make_early_inc_range(*body))
      if (auto *A = dyn_cast<AllocaInst>(&I); A && isa<ConstantInt>(A->getArraySize()))
        A->moveBefore(*entry, entry->end());
  IRBuilder<> B(entry);
  DebugLoc place = placeOfCheck();
  B.SetCurrentDebugLocation(place);
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
  B.CreateCondBr(B.CreateIsNotNull(entering), dispatch, begin);
  restore->setArgOperand(0, image);
  // The runtime is not instrumented: MemorySanitizer has not seen that it writes the image.
  if (F.hasFnAttribute(Attribute::SanitizeMemory)) {
    IRBuilder<> D(restore->getNextNode());
    D.SetCurrentDebugLocation(atEntry());
    D.CreateCall(M.getOrInsertFunction("__msan_unpoison", abi.Void, abi.Ptr, abi.Size),
                 {image, ConstantInt::get(abi.Size, imageSize)});
  }
}

// The sum of status and `unit` times the number of the point, counted on the way to `suspend`: it falls through one
// addition for each earlier point of its group.
PHINode *Splitter::countPoints(BasicBlock *suspend, unsigned group, unsigned unit) {
  PHINode *both = PHINode::Create(abi.I32, points.size() / group + 1, "", suspend);
  BasicBlock *next = suspend;
  PHINode *after = both;
  for (unsigned k = 0; k < points.size(); ++k) {
    bool first = k % group == 0;
    if (first) {
      next = suspend;
      after = both;
    }
    auto *count = BasicBlock::Create(abi.C, "count", &F, next);
    IRBuilder<> step(count);
    step.SetCurrentDebugLocation(atEntry());
    PHINode *sum = step.CreatePHI(abi.I32, 2);
    sum->addIncoming(statuses[k], suspendingBlocks[k]);
    after->addIncoming(step.CreateAdd(sum, step.getInt32(first ? unit * (k + 1) : unit)), count);
    step.CreateBr(next);
    ReplaceInstWithInst(suspendingBlocks[k]->getTerminator(), BranchInst::Create(count));
    next = count;
    after = sum;
  }
  return both;
}

// The one way out of a suspended activation. The number of the point and the status travel in one register: three bytes
// a point, where loading a number and jumping would take ten.
BasicBlock &Splitter::addSuspendTail() {
  constexpr unsigned group = 16, unit = 4; // unit: more than any status
  auto *suspend = BasicBlock::Create(abi.C, "suspend", &F);
  IRBuilder<> tail(suspend);
  tail.SetCurrentDebugLocation(atEntry());
  Value *both;
  if (F.hasFnAttribute(Attribute::OptimizeNone)) { // there each phi would have a place on the stack: one for all
    IRBuilder<> top(&*F.getEntryBlock().getFirstNonPHIIt());
    AllocaInst *place = top.CreateAlloca(abi.I32, nullptr, "why");
    for (unsigned k = 0; k < points.size(); ++k) {
      IRBuilder<> step(suspendingBlocks[k]->getTerminator());
      step.SetCurrentDebugLocation(atEntry());
      Value *status = statuses[k];
      if (isa<Instruction>(status)) {
        IRBuilder<>(points[k].before->getTerminator()).CreateStore(status, place);
        status = step.CreateLoad(abi.I32, place);
      }
      step.CreateStore(step.CreateAdd(status, step.getInt32(unit * (k + 1))), place);
      step.CreateBr(suspend);
      suspendingBlocks[k]->getTerminator()->eraseFromParent();
    }
    both = tail.CreateLoad(abi.I32, place);
  } else {
    both = countPoints(suspend, group, unit);
  }
  Value *number = tail.CreateLShr(both, 2), *status = tail.CreateAnd(both, unit - 1);
  auto leave = [&](Value *saved) { tail.CreateRet(abi.makeResult(tail, result, saved, nullptr)); };
  if (!frames.empty()) {
    Value *own = tail.CreateAlignedLoad(abi.Ptr, framePlace, Align(8));
    if (takesFrameLate) {
      auto *with = BasicBlock::Create(abi.C, "suspend.home", &F),
           *without = BasicBlock::Create(abi.C, "suspend.early", &F);
      tail.CreateCondBr(tail.CreateIsNotNull(own), with, without);
      tail.SetInsertPoint(without);
      leave(tail.CreateCall(abi.suspend(), {infoWithout, image, number, status}));
      tail.SetInsertPoint(with);
    }
    leave(tail.CreateCall(abi.suspendHome(), {own, image, number, status}));
  } else {
    leave(tail.CreateCall(abi.suspend(), {info, image, number, status}));
  }
  return *suspend;
}

void Splitter::rewriteReturns() {
  SmallVector<ReturnInst *> returns;
  for (BasicBlock &BB : F)
    if (auto *R = dyn_cast_if_present<ReturnInst>(BB.getTerminator())) {
      Value *value = R->getReturnValue();
      // Those of tail calls are of the new type already.
      if (result->isVoidTy() ? !value : value->getType() == result)
        returns.push_back(R);
    }
  for (ReturnInst *R : returns) {
    IRBuilder<> B(R);
    B.CreateRet(abi.makeResult(B, result, B.getInt32(CH_DONE), R->getReturnValue()));
    R->eraseFromParent();
  }
}

void Splitter::run() {
  body = &F.getEntryBlock();
  // Static locals first: the entry block is going to be cut into pieces.
  for (Instruction &I : make_early_inc_range(*body))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      A->moveBefore(*body, body->getFirstNonPHIIt());
  takeEntryYield();
  copyByvalArguments(); // before rewriteTailCalls, which asks what locals are lent
  rewriteTailCalls();
  collectPoints();
  if (!calls.empty()) {
    copySwiftErrors(F);
    moveScalableToBlocks(F, calls);
    lowerDynamicLocals();
    makePoints();
    repeatAddresses(CrossingValues(F, points));
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
    repeatCheap();
    keep();
    layOutImage();
    makeInfos();
  }
  rewriteReturns();
  addEntry();
  if (!points.empty()) {
    BasicBlock &suspend = addSuspendTail();
    labelPoints(F, points, image, restore, suspend);
    passResultsThroughMemory();
  }
  for (Point &P : points)
    if (isYieldOrPause(*P.at))
      P.at->eraseFromParent();
  removeUnreachableBlocks(F);
}

// Erases those interruptible versions that were inlined everywhere, and then what only they called.
static void dropUnused(std::vector<Function *> &versions) {
  auto isUnused = [](const Function *F) { return F->hasLocalLinkage() && F->use_empty(); };
  SmallVector<Function *> work;
  copy_if(versions, std::back_inserter(work), isUnused);
  SmallPtrSet<Function *, 16> dropped;
  while (!work.empty()) {
    Function *F = work.pop_back_val();
    dropped.insert(F);
    SetVector<Function *> called;
    for (Instruction &I : instructions(*F))
      for (Value *operand : I.operands())
        if (auto *callee = dyn_cast<Function>(operand); callee && isInterruptible(*callee))
          called.insert(callee);
    F->deleteBody();
    copy_if(called, std::back_inserter(work), isUnused);
  }
  erase_if(versions, [&](Function *F) { return dropped.contains(F); });
  for (Function *F : dropped)
    F->eraseFromParent();
}

// Gives the function its new type. The old one remains as an empty declaration without uses, and is erased.
static Function *retype(Abi &abi, Function &old, Signature &S) {
  auto *F = Function::Create(S.versionType(abi), old.getLinkage(), old.getAddressSpace(), "", old.getParent());
  F->copyAttributesFrom(&old);
  F->setComdat(old.getComdat());
  F->setCallingConv(CallingConv::C);
  AttrBuilder kept(abi.C, old.getAttributes().getFnAttrs());
  for (Attribute::AttrKind kind :
       {Attribute::NoReturn, Attribute::WillReturn, Attribute::Memory, Attribute::NoSync, Attribute::NoFree,
        Attribute::NoRecurse, Attribute::NoCallback, Attribute::MustProgress, Attribute::Speculatable})
    kept.removeAttribute(kind);
  F->setAttributes(S.versionAttributes(abi.C).addFnAttributes(abi.C, kept));
  F->copyMetadata(&old, 0);
  old.setSubprogram(nullptr);
  F->splice(F->begin(), &old);
  for (unsigned i = 0; i < old.arg_size(); ++i) {
    old.getArg(i)->replaceAllUsesWith(F->getArg(i));
    F->getArg(i)->takeName(old.getArg(i));
  }
  F->takeName(&old);
  old.replaceAllUsesWith(F);
  old.eraseFromParent();
  S.user = F;
  return F;
}

// CH_KEEPS_REGISTERS. A linker's stub that binds the name at the first call would not keep all of them.
static void keepRegisters(Module &M) {
  if (Triple(M.getTargetTriple()).getArch() != Triple::x86_64)
    return;
  for (StringRef name : {"ch_version_of", "ch_frame_new", "ch_frame_free"}) {
    Function *F = M.getFunction(name);
    if (!F)
      continue;
    F->setCallingConv(CallingConv::PreserveMost);
    F->addFnAttr(Attribute::NonLazyBind);
    for (User *U : F->users())
      if (auto *CB = dyn_cast<CallBase>(U); CB && CB->getCalledOperand() == F)
        CB->setCallingConv(CallingConv::PreserveMost);
  }
}

} // namespace charcoal

PreservedAnalyses charcoal::SplitPass::run(Module &M, ModuleAnalysisManager &) {
  Abi abi(M);
  Glue glue(abi);
  std::vector<Function *> versions;
  for (Function &F : M) {
    if (isInterruptible(F))
      versions.push_back(&F);
    if (F.hasFnAttribute(ExternalVersionAttr)) {
      F.setLinkage(GlobalValue::ExternalWeakLinkage);
      F.setDSOLocal(false);
    }
  }
  dropUnused(versions);
  std::vector<std::pair<Function *, Signature>> todo;
  for (Function *F : versions) {
    Signature S = Signature::of(*F);
    Function *retyped = retype(abi, *F, S);
    todo.push_back({retyped, S});
  }
  for (auto &[F, signature] : todo) {
    std::string name = F->getFnAttribute(VersionAttr).getValueAsString().str();
    Splitter(abi, glue, *F, signature, name).run();
  }
  for (auto &[F, signature] : todo) {
    if (F->isInterposable())
      if (GlobalValue *plain = M.getNamedValue(F->getFnAttribute(VersionAttr).getValueAsString()))
        glue.guardWeak(signature, plain, F);
    F->removeFnAttr(VersionAttr);
    if (F->hasFnAttribute(NamedAttr)) {
      F->setLinkage(GlobalValue::WeakAnyLinkage);
      F->setDSOLocal(false);
      F->removeFnAttr(NamedAttr);
    }
  }
  if (Function *lookup = M.getFunction(VersionOfName))
    lookup->replaceAllUsesWith(abi.versionOf().getCallee());
  keepRegisters(M);
  if (!todo.empty())
    provideBfloatTruncation(M);
  // The markers and the stand-ins for interruptible versions elsewhere.
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() &&
        (F.getName().starts_with("charcoal.") || F.hasFnAttribute(ExternalVersionAttr)))
      F.eraseFromParent();
  for (Function &F : M)
    F.removeFnAttr(ExternalVersionAttr);
  return PreservedAnalyses::none();
}
