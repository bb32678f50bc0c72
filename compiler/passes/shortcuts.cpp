// Pass `shortcuts`: operations of the runtime that usually succeed at once are done inline, without a call.
//
//   takes   functions as `split` left them, with calls of ch_version_of, ch_frame_new and ch_frame_free
//   leaves  before each such call inline code that looks at the thread's own lists; the call itself is moved to cold
//           code. On ways that are seldom taken it becomes a call of a function that has that inline code, of which
//           there is one for each adapter, one for taking a frame and one for giving it back.
//           Functions that are optimized for size stay as they were
//
//     %t = call ptr @ch_version_of(%p, @adapter)     slot:  ch_tls.versions + CH_VERSION_OFFSET(%p)
//                                              %a = slot.version
//                                        =>    br (slot.fn == %p), %hit, %miss
//                                              miss:  %b = call ptr @charcoal.look_up.adapter(%p)
//
//     %f = call ptr @ch_frame_new(@info)       becomes code that takes the first free block of the frame's class, if
//                                              there is one
//     call void @ch_frame_free(%f)             becomes code that puts the block back, if `held` is 0
//
//   And a call of ch_spawn becomes one of the function for the size of its record (sizes.h).
//
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-shortcuts
#include "shortcuts.h"
#include "abi.h"
#include "glue.h"
#include "sizes.h"
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
  Function *shared(const std::string &name, const CallInst &like, const Function &user,
                   function_ref<Value *(IRBuilder<> &, Value *argument)> isMiss,
                   function_ref<void(IRBuilder<> &, Value *argument)> hit);
  Found lookAt(IRBuilder<> &, Value *fn);
  void lookUp(CallInst &);
  Function *lookUpFunction(const CallInst &like, const Function &adapter);
  CallInst *callLookUp(CallInst &);
  Value *takeFirst(IRBuilder<> &, Value *klass, Value *first, Value *info);
  void takeFrame(CallInst &, unsigned klass);
  Function *takeFunction(const CallInst &like);
  void putBack(IRBuilder<> &, Value *klass, Value *frame);
  void giveFrame(CallInst &, unsigned klass);
  Function *giveFunction(const CallInst &like);
  Value *load(IRBuilder<> &, Type *, Value *from, unsigned offset, Align = Align(8));
  void store(IRBuilder<> &, Value *, Value *to, unsigned offset);
  Value *classAt(IRBuilder<> &, unsigned klass);
  Value *classOfInfo(IRBuilder<> &, Value *info);
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

// Returns the function of this name for ways that are seldom taken: a call of it takes a third of the bytes of the
// inline code, and few instructions more. Like the function of the runtime that it stands for, it keeps its caller's
// registers. It has the first argument of the call `like`, and ends by that call if `isMiss` yields true; else `hit`
// ends it.
Function *Shortcuts::shared(const std::string &name, const CallInst &like, const Function &user,
                            function_ref<Value *(IRBuilder<> &, Value *argument)> isMiss,
                            function_ref<void(IRBuilder<> &, Value *argument)> hit) {
  if (Function *known = abi.M.getFunction(name))
    return known;
  auto *F = Function::Create(FunctionType::get(like.getType(), {abi.Ptr}, false), GlobalValue::LinkOnceODRLinkage, name,
                             abi.M);
  F->setComdat(abi.M.getOrInsertComdat(F->getName()));
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setDSOLocal(true);
  F->setDoesNotThrow();
  copyTarget(*F, user);
  F->setCallingConv(like.getCallingConv());
  auto *hits = BasicBlock::Create(abi.C, "hit", F), *misses = BasicBlock::Create(abi.C, "miss", F);
  IRBuilder<> B(BasicBlock::Create(abi.C, "", F, hits));
  B.CreateCondBr(isMiss(B, F->getArg(0)), misses, hits, unlikely);
  B.SetInsertPoint(hits);
  hit(B, F->getArg(0));
  B.SetInsertPoint(misses);
  SmallVector<Value *> arguments(like.args());
  arguments.front() = F->getArg(0); // the others are constants
  CallInst *call = B.CreateCall(like.getFunctionType(), like.getCalledOperand(), arguments);
  call->setCallingConv(like.getCallingConv());
  call->setTailCallKind(CallInst::TCK_Tail);
  if (call->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(call);
  return F;
}

Function *Shortcuts::lookUpFunction(const CallInst &like, const Function &adapter) {
  StringRef signature = adapter.getName();
  signature.consume_front("charcoal.call.");
  Found found;
  return shared(("charcoal.look_up." + signature).str(), like, adapter,
                [&](IRBuilder<> &B, Value *fn) {
                  found = lookAt(B, fn);
                  return found.missed;
                },
                [&](IRBuilder<> &B, Value *) { B.CreateRet(found.version); });
}

// Puts a call of that function in the place of a call of ch_version_of. Where LLVM has joined two look-ups to one, the
// adapter may be a choice of two, and the call of ch_version_of stays.
CallInst *Shortcuts::callLookUp(CallInst &old) {
  auto *adapter = dyn_cast<Function>(old.getArgOperand(1));
  if (!adapter)
    return &old;
  Function *F = lookUpFunction(old, *adapter);
  IRBuilder<> B(&old);
  CallInst *call = B.CreateCall(F, {old.getArgOperand(0)});
  call->setCallingConv(F->getCallingConv());
  call->takeName(&old);
  old.replaceAllUsesWith(call);
  old.eraseFromParent();
  return call;
}

void Shortcuts::lookUp(CallInst &old) {
  CallInst &call = *callLookUp(old);
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

Value *Shortcuts::classAt(IRBuilder<> &B, unsigned klass) {
  Value *classes = load(B, abi.Ptr, abi.tlsField(B, offsetof(struct ch_tls, frames)), 0);
  return B.CreateConstInBoundsGEP1_64(abi.I8, classes, klass * sizeof(struct ch_class));
}
void Shortcuts::count(IRBuilder<> &B, Value *klass, int64_t more) {
  Value *live = load(B, abi.I64, klass, offsetof(struct ch_class, live));
  store(B, B.CreateAdd(live, ConstantInt::getSigned(abi.I64, more)), klass, offsetof(struct ch_class, live));
}

// The same for a frame of a fine class, of which only the description is known.
Value *Shortcuts::classOfInfo(IRBuilder<> &B, Value *info) {
  static_assert(sizeof(struct ch_class) == CH_FRAME_STEP, "a size rounded up is an offset into the classes");
  Value *size = load(B, abi.I32, info, offsetof(struct ch_frame_info, size), Align(4));
  Value *rounded = B.CreateAnd(B.CreateAdd(size, abi.number(CH_FRAME_STEP - 1)), ~uint32_t{CH_FRAME_STEP - 1});
  Value *classes = load(B, abi.Ptr, abi.tlsField(B, offsetof(struct ch_tls, frames)), 0);
  return B.CreateInBoundsGEP(abi.I8, classes, B.CreateZExt(rounded, abi.Size));
}

Value *Shortcuts::takeFirst(IRBuilder<> &B, Value *klass, Value *first, Value *info) {
  Value *next = B.CreateAnd(load(B, abi.I64, first, 0), ~uint64_t{1});
  store(B, next, klass, offsetof(struct ch_class, free));
  count(B, klass, 1);
  store(B, info, first, offsetof(struct ch_frame, info));
  static_assert(offsetof(struct ch_frame, held) == offsetof(struct ch_frame, point) + 4, "they are cleared together");
  store(B, ConstantInt::get(abi.I64, 0), first, offsetof(struct ch_frame, point));
  return first;
}

void Shortcuts::takeFrame(CallInst &call, unsigned number) {
  IRBuilder<> B(&call);
  Value *klass = classAt(B, number);
  Value *first = load(B, abi.Ptr, klass, offsetof(struct ch_class, free));
  Instruction *miss, *hit;
  SplitBlockAndInsertIfThenElse(B.CreateIsNull(first), call.getIterator(), &miss, &hit, unlikely);
  B.SetInsertPoint(hit);
  takeFirst(B, klass, first, call.getArgOperand(0));
  PHINode *frame = PHINode::Create(abi.Ptr, 2, "", call.getParent()->begin());
  frame->takeName(&call);
  call.replaceAllUsesWith(frame);
  call.moveBefore(miss->getIterator());
  frame->addIncoming(first, hit->getParent());
  frame->addIncoming(&call, miss->getParent());
}

Function *Shortcuts::takeFunction(const CallInst &like) {
  const Function &user = *like.getFunction();
  Value *klass, *first;
  return shared(
      "charcoal.take_frame" + suffixOfTarget(user), like, user,
      [&](IRBuilder<> &B, Value *info) {
        klass = classOfInfo(B, info);
        first = load(B, abi.Ptr, klass, offsetof(struct ch_class, free));
        return B.CreateIsNull(first);
      },
      [&](IRBuilder<> &B, Value *info) { B.CreateRet(takeFirst(B, klass, first, info)); });
}

void Shortcuts::putBack(IRBuilder<> &B, Value *klass, Value *frame) {
  Value *first = load(B, abi.I64, klass, offsetof(struct ch_class, free));
  store(B, B.CreateOr(first, 1), frame, 0);
  store(B, frame, klass, offsetof(struct ch_class, free));
  count(B, klass, -1);
}

void Shortcuts::giveFrame(CallInst &call, unsigned klass) {
  IRBuilder<> B(&call);
  Value *frame = call.getArgOperand(0);
  Value *held = B.CreateIsNotNull(load(B, abi.I32, frame, offsetof(struct ch_frame, held), Align(4)));
  Instruction *miss, *hit;
  SplitBlockAndInsertIfThenElse(held, call.getIterator(), &miss, &hit, unlikely);
  call.moveBefore(miss->getIterator());
  B.SetInsertPoint(hit);
  putBack(B, classAt(B, klass), frame);
}

Function *Shortcuts::giveFunction(const CallInst &like) {
  const Function &user = *like.getFunction();
  return shared(
      "charcoal.give_frame" + suffixOfTarget(user), like, user,
      [&](IRBuilder<> &B, Value *frame) {
        return B.CreateIsNotNull(load(B, abi.I32, frame, offsetof(struct ch_frame, held), Align(4)));
      },
      [&](IRBuilder<> &B, Value *frame) {
        putBack(B, classOfInfo(B, load(B, abi.Ptr, frame, offsetof(struct ch_frame, info))), frame);
        B.CreateRetVoid();
      });
}

// The description of the frames that the function takes, or of the one that it gets.
static const Value *infoOfFrame(const Function &F, ArrayRef<CallInst *> takings) {
  return takings.empty() ? F.getParent()->getNamedValue(F.getFnAttribute(FrameAttr).getValueAsString())
                         : takings.front()->getArgOperand(0);
}

namespace {
// The class of such a frame.
struct FrameClass {
  unsigned number = CH_LARGE_CLASS;
  bool isTold = false; // by the description's `size` alone, as classOfInfo reads it
};
} // namespace

static FrameClass classOfFrame(const Value *described) {
  auto *info = dyn_cast_if_present<GlobalVariable>(described);
  auto *fields = info && info->hasInitializer() ? dyn_cast<ConstantStruct>(info->getInitializer()) : nullptr;
  if (!fields)
    return {};
  auto field = [&](unsigned n) { return cast<ConstantInt>(fields->getOperand(n))->getZExtValue(); };
  const uint64_t size = field(6), align = field(8);
  return {ch_class_of(size, align), size <= CH_FRAME_MAX && align <= CH_FRAME_STEP};
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
  const FrameClass klass = classOfFrame(infoOfFrame(F, takings));
  if (klass.number == CH_LARGE_CLASS) {
    takings.clear();
    givings.clear();
  }
  if (lookUps.empty() && takings.empty() && givings.empty())
    return;
  const SmallPtrSet<const BasicBlock *, 16> blocks = seldomTaken(F);
  // The calls that are often made; the others become calls of the shared functions. Their blocks are looked at before
  // any block is divided.
  auto usual = [&](SmallVector<CallInst *> &calls, auto shareSeldom) {
    erase_if(calls, [&](CallInst *call) {
      const bool isSeldom = blocks.contains(call->getParent());
      if (isSeldom)
        shareSeldom(*call);
      return isSeldom;
    });
  };
  usual(lookUps, [&](CallInst &call) { callLookUp(call); });
  auto share = [&](CallInst &call, Function *(Shortcuts::*function)(const CallInst &)) {
    if (klass.isTold)
      call.setCalledFunction((this->*function)(call));
  };
  usual(takings, [&](CallInst &call) { share(call, &Shortcuts::takeFunction); });
  usual(givings, [&](CallInst &call) { share(call, &Shortcuts::giveFunction); });
  for (CallInst *call : lookUps)
    lookUp(*call);
  for (CallInst *call : takings)
    takeFrame(*call, klass.number);
  for (CallInst *call : givings)
    giveFrame(*call, klass.number);
}

} // namespace charcoal

PreservedAnalyses charcoal::ShortcutsPass::run(Module &M, ModuleAnalysisManager &) {
  Function *spawn = M.getFunction("ch_spawn");
  if (!M.getFunction("ch_version_of") && !M.getFunction("ch_frame_new") && !spawn)
    return PreservedAnalyses::all();
  Abi abi(M);
  if (spawn)
    for (User *user : make_early_inc_range(spawn->users()))
      if (auto *I = dyn_cast<Instruction>(user); I && calls(*I, "ch_spawn"))
        spawnBySize(abi, *cast<CallInst>(I));
  Shortcuts shortcuts(abi);
  SmallVector<Function *> all; // collected first, because the loop below may add shared functions
  for (Function &F : M)
    if (!F.isDeclaration())
      all.push_back(&F);
  for (Function *F : all)
    shortcuts.shorten(*F);
  return PreservedAnalyses::none();
}
