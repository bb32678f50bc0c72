// Pass `shortcuts`: operations of the runtime that usually succeed at once are done inline, without a call.
//
//   takes   functions as `split` left them, with calls of ch_version_of, ch_frame_new and ch_frame_free
//   leaves  before each such call inline code that looks at the thread's own lists; the call itself is moved to cold
//           code. On ways that are seldom taken a look-up becomes a call of one function that has that code.
//           Functions that are optimized for size stay as they were
//
//     %t = call ptr @ch_version_of(%p, @adapter)     slot:  ch_tls.versions + CH_VERSION_OFFSET(%p)
//                                              %a = slot.version
//                                        =>    br (slot.fn == %p), %hit, %miss
//                                              miss:  %b = call ptr @ch_version_of(%p, @adapter)
//
//     %f = call ptr @ch_frame_new(@info)       becomes code that takes the first free block of the class of info.size,
//                                              if there is one
//     call void @ch_frame_free(%f)             becomes code that puts the block back, if `held` is 0
//
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-shortcuts
#include "shortcuts.h"
#include "abi.h"
#include "glue.h"
#include "suspension_markers.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace charcoal {

namespace {

class Shortcuts {
public:
  explicit Shortcuts(Abi &abi)
      : abi(abi), unlikely(MDBuilder(abi.C).createUnlikelyBranchWeights()), nothing(MDNode::get(abi.C, {})) {}
  void shorten(Function &);

private:
  struct Found {
    Value *missed, *version; // `version` is valid only if `missed` is false
  };
  Found lookAt(IRBuilder<> &, Value *fn);
  void lookUp(CallInst &);
  Function *lookUpFunction(const CallInst &like);
  void shortenLookUps(Function &, ArrayRef<CallInst *> lookUps);
  void takeFrame(CallInst &, uint64_t bytes);
  void giveFrame(CallInst &, uint64_t bytes);
  Value *load(IRBuilder<> &, Type *, Value *from, unsigned offset, Align = Align(8));
  void store(IRBuilder<> &, Value *, Value *to, unsigned offset);
  Value *classOf(IRBuilder<> &, uint64_t bytes);
  void count(IRBuilder<> &, Value *klass, int64_t more);

  Abi &abi;
  MDNode *unlikely, *nothing;
};

} // namespace

// Accesses the runtime's memory, which sanitizers do not check.
Value *Shortcuts::load(IRBuilder<> &B, Type *T, Value *from, unsigned offset, Align align) {
  LoadInst *I = B.CreateAlignedLoad(T, B.CreateConstInBoundsGEP1_64(abi.I8, from, offset), align);
  I->setMetadata(LLVMContext::MD_nosanitize, nothing);
  return I;
}
void Shortcuts::store(IRBuilder<> &B, Value *value, Value *to, unsigned offset) {
  StoreInst *I = B.CreateAlignedStore(value, B.CreateConstInBoundsGEP1_64(abi.I8, to, offset), Align(8));
  I->setMetadata(LLVMContext::MD_nosanitize, nothing);
}

Shortcuts::Found Shortcuts::lookAt(IRBuilder<> &B, Value *fn) {
  const bool isX86 = Triple(abi.M.getTargetTriple()).getArch() == Triple::x86_64;
  const Align align(isX86 ? 1 : 8); // CH_VERSION_OFFSET
  Value *offset = B.CreateAnd(B.CreatePtrToInt(fn, abi.Size), CH_VERSION_MASK(isX86));
  Value *places = load(B, abi.Ptr, abi.tlsField(B, offsetof(struct ch_tls, versions)), 0);
  Value *slot = B.CreateInBoundsGEP(abi.I8, places, offset);
  Value *known = load(B, abi.Ptr, slot, offsetof(struct ch_version_entry, fn), align);
  // The version is loaded even if it is not needed, so that the slot's address is computed only once.
  Value *version = load(B, abi.Ptr, slot, offsetof(struct ch_version_entry, version), align);
  return {B.CreateICmpNE(known, fn), version};
}

void Shortcuts::lookUp(CallInst &call) {
  IRBuilder<> B(&call);
  const Found found = lookAt(B, call.getArgOperand(0));
  BasicBlock *hit = call.getParent();
  Instruction *miss = SplitBlockAndInsertIfThen(found.missed, call.getIterator(), false, unlikely);
  PHINode *version = PHINode::Create(abi.Ptr, 2, "", call.getParent()->begin());
  call.replaceAllUsesWith(version);
  call.moveBefore(miss->getIterator());
  version->addIncoming(found.version, hit);
  version->addIncoming(&call, miss->getParent());
}

// The same code as a function, for ways that are seldom taken. A call takes a third of the bytes, and three
// instructions more. Like ch_version_of it keeps its caller's registers.
Function *Shortcuts::lookUpFunction(const CallInst &like) {
  const Function &user = *like.getFunction();
  const std::string name = "charcoal.look_up" + suffixOfTarget(user);
  if (Function *known = abi.M.getFunction(name))
    return known;
  auto *F = Function::Create(like.getFunctionType(), GlobalValue::LinkOnceODRLinkage, name, abi.M);
  F->setComdat(abi.M.getOrInsertComdat(name));
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setDSOLocal(true);
  F->setDoesNotThrow();
  copyTarget(*F, user);
  F->setCallingConv(like.getCallingConv());
  auto *hit = BasicBlock::Create(abi.C, "hit", F), *miss = BasicBlock::Create(abi.C, "miss", F);
  IRBuilder<> B(BasicBlock::Create(abi.C, "", F, hit));
  const Found found = lookAt(B, F->getArg(0));
  B.CreateCondBr(found.missed, miss, hit, unlikely);
  B.SetInsertPoint(hit);
  B.CreateRet(found.version);
  B.SetInsertPoint(miss);
  CallInst *call = B.CreateCall(like.getFunctionType(), like.getCalledOperand(), {F->getArg(0), F->getArg(1)});
  call->setCallingConv(like.getCallingConv());
  call->setTailCallKind(CallInst::TCK_MustTail);
  B.CreateRet(call);
  return F;
}

Value *Shortcuts::classOf(IRBuilder<> &B, uint64_t bytes) {
  static_assert(sizeof(struct ch_class) == CH_FRAME_STEP, "a size rounded up is an offset into the classes");
  Value *classes = load(B, abi.Ptr, abi.tlsField(B, offsetof(struct ch_tls, frames)), 0);
  return B.CreateConstInBoundsGEP1_64(abi.I8, classes, alignTo(bytes, CH_FRAME_STEP));
}
void Shortcuts::count(IRBuilder<> &B, Value *klass, int64_t more) {
  Value *live = load(B, abi.I64, klass, offsetof(struct ch_class, live));
  store(B, B.CreateAdd(live, ConstantInt::getSigned(abi.I64, more)), klass, offsetof(struct ch_class, live));
}

void Shortcuts::takeFrame(CallInst &call, uint64_t bytes) {
  IRBuilder<> B(&call);
  Value *klass = classOf(B, bytes);
  Value *first = load(B, abi.Ptr, klass, offsetof(struct ch_class, free));
  Instruction *miss, *hit;
  SplitBlockAndInsertIfThenElse(B.CreateIsNull(first), call.getIterator(), &miss, &hit, unlikely);
  B.SetInsertPoint(hit);
  Value *next = B.CreateAnd(load(B, abi.I64, first, 0), ~uint64_t{1});
  store(B, next, klass, offsetof(struct ch_class, free));
  count(B, klass, 1);
  store(B, call.getArgOperand(0), first, offsetof(struct ch_frame, info));
  static_assert(offsetof(struct ch_frame, held) == offsetof(struct ch_frame, point) + 4, "they are cleared together");
  store(B, ConstantInt::get(abi.I64, 0), first, offsetof(struct ch_frame, point));
  PHINode *frame = PHINode::Create(abi.Ptr, 2, "", call.getParent()->begin());
  frame->takeName(&call);
  call.replaceAllUsesWith(frame);
  call.moveBefore(miss->getIterator());
  frame->addIncoming(first, hit->getParent());
  frame->addIncoming(&call, miss->getParent());
}

void Shortcuts::giveFrame(CallInst &call, uint64_t bytes) {
  IRBuilder<> B(&call);
  Value *frame = call.getArgOperand(0);
  Value *held = B.CreateIsNotNull(load(B, abi.I32, frame, offsetof(struct ch_frame, held), Align(4)));
  Instruction *miss, *hit;
  SplitBlockAndInsertIfThenElse(held, call.getIterator(), &miss, &hit, unlikely);
  call.moveBefore(miss->getIterator());
  B.SetInsertPoint(hit);
  Value *klass = classOf(B, bytes);
  Value *first = load(B, abi.I64, klass, offsetof(struct ch_class, free));
  store(B, B.CreateOr(first, 1), frame, 0);
  store(B, frame, klass, offsetof(struct ch_class, free));
  count(B, klass, -1);
}

// The size in bytes of the frame that the function takes at its entry; 0 if a frame of this size is not taken inline.
static uint64_t bytesOfFrame(const CallInst &taking) {
  auto *info = dyn_cast<GlobalVariable>(taking.getArgOperand(0));
  auto *fields = info && info->hasInitializer() ? dyn_cast<ConstantStruct>(info->getInitializer()) : nullptr;
  if (!fields)
    return 0;
  auto field = [&](unsigned n) { return cast<ConstantInt>(fields->getOperand(n))->getZExtValue(); };
  const uint64_t size = field(6), align = field(8);
  return size <= CH_FRAME_MAX && align <= 16 ? size : 0;
}

// The blocks that less than one in eight calls of the function reach, by LLVM's estimate.
static SmallPtrSet<const BasicBlock *, 16> seldomTaken(Function &F) {
  DominatorTree tree(F);
  LoopInfo loops(tree);
  BranchProbabilityInfo probabilities(F, loops);
  BlockFrequencyInfo frequency(F, probabilities, loops);
  SmallPtrSet<const BasicBlock *, 16> seldom;
  for (const BasicBlock &BB : F)
    if (frequency.getBlockFreq(&BB).getFrequency() < frequency.getEntryFreq().getFrequency() / 8)
      seldom.insert(&BB);
  return seldom;
}

void Shortcuts::shortenLookUps(Function &F, ArrayRef<CallInst *> lookUps) {
  SmallVector<CallInst *> usual, seldom;
  const SmallPtrSet<const BasicBlock *, 16> blocks = seldomTaken(F);
  for (CallInst *call : lookUps)
    (blocks.contains(call->getParent()) ? seldom : usual).push_back(call);
  for (CallInst *call : seldom)
    call->setCalledFunction(lookUpFunction(*call));
  for (CallInst *call : usual)
    lookUp(*call);
}

void Shortcuts::shorten(Function &F) {
  if (F.hasOptNone() || F.hasOptSize() || F.hasFnAttribute(Attribute::Cold))
    return;
  SmallVector<CallInst *> lookUps, takings, givings; // all frames of a function have the same size
  for (Instruction &I : instructions(F))
    if (calls(I, "ch_version_of"))
      lookUps.push_back(cast<CallInst>(&I));
    else if (calls(I, "ch_frame_new"))
      takings.push_back(cast<CallInst>(&I));
    else if (calls(I, "ch_frame_free"))
      givings.push_back(cast<CallInst>(&I));
  if (!lookUps.empty())
    shortenLookUps(F, lookUps);
  const uint64_t bytes = takings.empty() ? 0 : bytesOfFrame(*takings.front());
  if (bytes == 0)
    return;
  for (CallInst *call : takings)
    takeFrame(*call, bytes);
  for (CallInst *call : givings)
    giveFrame(*call, bytes);
}

} // namespace charcoal

PreservedAnalyses charcoal::ShortcutsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getFunction("ch_version_of") && !M.getFunction("ch_frame_new"))
    return PreservedAnalyses::all();
  Abi abi(M);
  Shortcuts shortcuts(abi);
  SmallVector<Function *> all; // collected first, because the loop below may add charcoal.look_up
  for (Function &F : M)
    if (!F.isDeclaration())
      all.push_back(&F);
  for (Function *F : all)
    shortcuts.shorten(*F);
  return PreservedAnalyses::none();
}
