// Pass `atomicity`: with -fcharcoal-atomicity, inserts a report of each access to memory that others may see.
//
//   takes   functions after optimisation, before `split`: a call that may suspend is still one call
//   leaves  after each such access a call of ch_atomicity_read or …_write with its place in the source text; calls
//           that say where memory begins a new life and where one activity hands over to another; a constructor that
//           begins the watch
//
//     %v = load i64, ptr @x                 %a = call i32 @ch_atomicity_enter()        ; if it can be suspended
//     call void @wait.int() #suspends       %v = load i64, ptr @x
//     store i64 %w, ptr @x           =>     call void @ch_atomicity_read(ptr @x, ptr @place.1, i32 %a)
//     call void @free(ptr %p)               call void @wait.int() #suspends
//                                           store i64 %w, ptr @x
//                                           call void @ch_atomicity_write(ptr @x, ptr @place.2, i32 %a)
//                                           call void @ch_atomicity_forget_block(ptr %p)
//                                           call void @free(ptr %p)
//
// It leaves out constants, locals that nobody else can reach because their address goes nowhere, variables that are
// declared ch_may_interleave, and accesses that Charcoal's passes have inserted. The inserted calls capture nothing, so
// that no local needs a home because of them.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-atomicity -charcoal-atomicity
#include "atomicity.h"
#include "atomicity_instrumenter.h"
#include "options.h"
#include "suspension_markers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace charcoal {

// ---- what is not to be looked at ----

static StringRef annotation(const Value *text) {
  auto *variable = dyn_cast<GlobalVariable>(text->stripPointerCasts());
  auto *data =
      variable && variable->hasInitializer() ? dyn_cast<ConstantDataArray>(variable->getInitializer()) : nullptr;
  return data && data->isCString() ? data->getAsCString() : "";
}

Unchecked::Unchecked(Module &M) {
  GlobalVariable *all = M.getGlobalVariable("llvm.global.annotations");
  auto *entries = all && all->hasInitializer() ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
  if (!entries)
    return;
  for (Value *entry : entries->operands()) {
    auto *fields = cast<ConstantStruct>(entry);
    if (annotation(fields->getOperand(1)) != "charcoal.may_interleave")
      continue;
    Value *what = fields->getOperand(0)->stripPointerCasts();
    if (auto *G = dyn_cast<GlobalVariable>(what))
      variables.insert(G->getName());
    else if (auto *F = dyn_cast<Function>(what))
      functions.insert(F->getSubprogram() ? F->getSubprogram()->getName() : F->getName());
  }
}

bool Unchecked::contains(const Instruction &I) const {
  if (functions.empty())
    return false;
  for (const DILocation *at = I.getDebugLoc(); at; at = at->getInlinedAt())
    if (functions.contains(at->getScope()->getSubprogram()->getName()))
      return true;
  const DISubprogram *own = I.getFunction()->getSubprogram();
  return own && functions.contains(own->getName());
}

// ---- accesses ----

FunctionCallee Instrumenter::hook(StringRef name, ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Type *result = name == "ch_atomicity_enter" ? static_cast<Type *>(abi.I32) : abi.Void;
  FunctionCallee callee = M.getOrInsertFunction(name, FunctionType::get(result, types, false));
  auto *to = dyn_cast<Function>(callee.getCallee());
  if (!to)
    return callee;
  to->setDoesNotThrow();
  for (unsigned i = 0; i < types.size(); ++i)
    if (types[i]->isPointerTy()) {
      to->addParamAttr(i, Attribute::getWithCaptureInfo(M.getContext(), CaptureInfo::none()));
      to->addParamAttr(i, Attribute::ReadOnly);
    }
  return callee;
}

DebugLoc placeOf(const Instruction &I) {
  if (const DebugLoc &at = I.getDebugLoc())
    return at;
  DISubprogram *whole = I.getFunction()->getSubprogram();
  return whole ? DebugLoc(DILocation::get(I.getContext(), 0, 0, whole)) : DebugLoc();
}

void Instrumenter::callBefore(Instruction &I, StringRef name, ArrayRef<Value *> arguments) {
  IRBuilder<> B(&I);
  B.CreateCall(hook(name, arguments), arguments)->setDebugLoc(placeOf(I));
  changed = true;
}

void Instrumenter::callAfter(Instruction &I, StringRef name, ArrayRef<Value *> arguments) {
  IRBuilder<> B(I.getNextNode());
  B.CreateCall(hook(name, arguments), arguments)->setDebugLoc(placeOf(I));
  changed = true;
}

// Returns a number that tells the accesses of one activation from those of another. No call is inserted for it in
// functions in which nothing can come between two accesses.
Value *Instrumenter::activation() {
  if (!suspends)
    return ConstantInt::get(abi.I32, 0);
  if (!entered) {
    BasicBlock::iterator at = F->getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    IRBuilder<> B(&*at);
    entered = B.CreateCall(hook("ch_atomicity_enter", {}));
    entered->setDebugLoc(placeOf(*at));
    if (DISubprogram *whole = F->getSubprogram())
      entered->setDebugLoc(DILocation::get(abi.C, whole->getScopeLine(), 0, whole));
  }
  return entered;
}

static bool isOwn(StringRef name) {
  return name == CH_TLS_SYMBOL || name == "ch_checks" || name == "ch_mxcsr_changes" || name.starts_with("llvm.") ||
         name.starts_with("__llvm") || name.starts_with("charcoal.");
}

bool Instrumenter::isShared(const Value *pointer) {
  if (pointer->getType()->getPointerAddressSpace() != 0 || pointer->isSwiftError())
    return false;
  const Value *object = getUnderlyingObject(pointer, 12);
  if (auto *call = dyn_cast<IntrinsicInst>(object); call && call->getIntrinsicID() == Intrinsic::threadlocal_address)
    object = call->getArgOperand(0);
  if (auto *A = dyn_cast<AllocaInst>(object)) {
    auto [known, isNew] = escapes.try_emplace(A, false);
    if (isNew)
      known->second = PointerMayBeCaptured(A, /*ReturnCaptures=*/true);
    return known->second && A->getName() != "variable_arguments";
  }
  if (auto *A = dyn_cast<Argument>(object))
    return !A->hasByValAttr() && !A->hasStructRetAttr();
  if (auto *G = dyn_cast<GlobalVariable>(object))
    return !G->isConstant() && !isOwn(G->getName()) && !unchecked.contains(*G);
  return !isa<ConstantPointerNull>(object) && !isa<Function>(object);
}

static const Value *objectOf(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, 12);
  auto *call = dyn_cast<IntrinsicInst>(object);
  return call && call->getIntrinsicID() == Intrinsic::threadlocal_address ? call->getArgOperand(0) : object;
}

// Whether the address depends on what was read from memory that others may see: flags of enum ch_access_flags.
unsigned Instrumenter::howReached(Value *pointer) {
  auto dependsOnShared = [&](Value *value) {
    SmallPtrSet<Value *, 16> seen;
    SmallVector<LoadInst *, CH_RESTS_ON> reads;
    collectReads(value, seen, reads);
    return any_of(reads, [&](const LoadInst *L) { return isShared(L->getPointerOperand()); });
  };
  unsigned how = 0;
  for (auto *G = dyn_cast<GEPOperator>(pointer); G; G = dyn_cast<GEPOperator>(pointer)) {
    for (Value *index : G->indices())
      if (dependsOnShared(index))
        how |= CH_ACCESS_INDEXED;
    pointer = G->getPointerOperand();
  }
  return dependsOnShared(pointer) ? how | CH_ACCESS_REACHED : how;
}

void Instrumenter::access(Instruction &I, Value *pointer, Type *T, bool reads, bool writes) {
  TypeSize size = M.getDataLayout().getTypeStoreSize(T);
  if (size.isScalable() || !isShared(pointer))
    return;
  uint64_t bytes = size.getFixedValue();
  Places::RestsOn restsOn;
  if (auto *S = dyn_cast<StoreInst>(&I)) {
    SmallPtrSet<Value *, 16> seen;
    SmallVector<LoadInst *, CH_RESTS_ON> reads;
    collectReads(S->getValueOperand(), seen, reads);
    for (LoadInst *L : reads)
      if (isShared(L->getPointerOperand()) && M.getDataLayout().getTypeStoreSize(L->getType()) == size)
        restsOn.push_back(places.of(*L, objectOf(L->getPointerOperand()), bytes, howReached(L->getPointerOperand())));
  }
  Constant *place = places.of(I, objectOf(pointer), bytes, howReached(pointer), restsOn);
  Value *now = activation();
  bool isLarge = bytes > 8; // such as a vector, which may hold several variables
  Value *length = ConstantInt::get(abi.Size, bytes);
  auto report = [&](StringRef what) {
    if (isLarge)
      callAfter(I, ("ch_atomicity_" + what + "_range").str(), {pointer, length, place, now});
    else
      callAfter(I, ("ch_atomicity_" + what).str(), {pointer, place, now});
  };
  if (writes)
    report("write"); // the report of a read is inserted later but before this one, right after the instruction
  if (reads)
    report("read");
}

void Instrumenter::range(Instruction &I, Value *pointer, Value *size, bool writes) {
  if (!isShared(pointer))
    return;
  if (size->getType() != abi.Size)
    return;
  Value *now = activation();
  Constant *place = places.of(I, objectOf(pointer), 4, howReached(pointer));
  callAfter(I, writes ? "ch_atomicity_write_range" : "ch_atomicity_read_range", {pointer, size, place, now});
}

// ---- all of it ----

void Instrumenter::function(Function &G) {
  F = &G;
  entered = nullptr;
  escapes.clear();
  suspends =
      any_of(instructions(G), [](const Instruction &I) { return isSuspendingCall(I) || isYield(I) || isPause(I); });
  SmallVector<Instruction *> all;
  for (Instruction &I : instructions(G))
    if (!I.hasMetadata(LLVMContext::MD_nosanitize) && !unchecked.contains(I))
      all.push_back(&I);
  for (Instruction *I : all) {
    if (auto *L = dyn_cast<LoadInst>(I))
      access(*I, L->getPointerOperand(), L->getType(), true, false);
    else if (auto *S = dyn_cast<StoreInst>(I))
      access(*I, S->getPointerOperand(), S->getValueOperand()->getType(), false, true);
    else if (auto *R = dyn_cast<AtomicRMWInst>(I))
      access(*I, R->getPointerOperand(), R->getValOperand()->getType(), true, true);
    else if (auto *X = dyn_cast<AtomicCmpXchgInst>(I))
      access(*I, X->getPointerOperand(), X->getCompareOperand()->getType(), true, true);
    else if (auto *T = dyn_cast<MemTransferInst>(I)) {
      range(*I, T->getDest(), T->getLength(), true);
      range(*I, T->getSource(), T->getLength(), false);
    } else if (auto *T = dyn_cast<MemSetInst>(I))
      range(*I, T->getDest(), T->getLength(), true);
    else if (auto *CB = dyn_cast<CallInst>(I)) {
      order(*CB);
      memory(*CB);
    }
  }
  locals(G);
}

bool Instrumenter::run() {
  SmallVector<Function *> all;
  for (Function &G : M)
    if (!G.isDeclaration() && !G.hasAvailableExternallyLinkage() && !G.hasFnAttribute(Attribute::Naked) &&
        !G.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) && !G.getName().starts_with("charcoal."))
      all.push_back(&G);
  for (Function *G : all)
    function(*G);
  memoryThroughPointers();
  if (!changed)
    return false;
  appendToGlobalCtors(M, cast<Function>(hook("ch_atomicity_begin", {}).getCallee()), 0);
  appendToGlobalDtors(M, cast<Function>(hook("ch_atomicity_unload", {}).getCallee()), 0);
  return true;
}

PreservedAnalyses AtomicityPass::run(Module &M, ModuleAnalysisManager &) {
  return options().atomicity && Instrumenter(M).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
