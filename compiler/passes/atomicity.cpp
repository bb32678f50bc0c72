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
#include "abi.h"
#include "suspension_markers.h"
#include "options.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace charcoal {

namespace {

// The variables and functions that are annotated ch_may_interleave.
class Unchecked {
public:
  explicit Unchecked(Module &);
  bool contains(const GlobalVariable &variable) const { return variables.contains(variable.getName()); }
  // Whether the instruction stands in such a function, or was inlined from one.
  bool contains(const Instruction &) const;

private:
  StringSet<> variables, functions;
};

// The struct ch_access_place of each place in the source text.
class Places {
public:
  explicit Places(Abi &abi) : abi(abi) {}
  using RestsOn = SmallVector<Constant *, CH_RESTS_ON>;
  Constant *of(const Instruction &, const Value *object, uint64_t size, const RestsOn &restsOn = {});

private:
  Constant *call(const DILocation *);
  Constant *make(const DILocation *, StringRef function, StringRef variable, uint64_t size, const RestsOn &,
                 bool isTested = false);
  Constant *text(StringRef);

  Abi &abi;
  StringMap<Constant *> texts;
  using Key = std::pair<const DILocation *, std::pair<const void *, uint64_t>>;
  DenseMap<Key, Constant *> known;
};

class Instrumenter {
public:
  explicit Instrumenter(Module &M) : M(M), abi(M), unchecked(M), places(abi) {}
  bool run();

private:
  void function(Function &);
  bool isShared(const Value *pointer);
  void access(Instruction &, Value *pointer, Type *, bool reads, bool writes);
  void range(Instruction &, Value *pointer, Value *size, bool writes);
  void order(CallInst &);
  void memory(CallInst &);
  void memoryThroughPointers();
  void locals(Function &);
  void callAfter(Instruction &, StringRef name, ArrayRef<Value *>);
  FunctionCallee hook(StringRef name, ArrayRef<Value *>);
  Value *activation();

  Module &M;
  Abi abi;
  Unchecked unchecked;
  Places places;
  DenseMap<const AllocaInst *, bool> escapes;
  Function *F = nullptr;
  bool suspends = false;
  CallInst *entered = nullptr;
  bool changed = false;
};

} // namespace

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

// ---- what a value is used for ----

// Whether a comparison or a branch depends on the value. The search goes through everything that is computed from it,
// and without optimisation through local variables.
static bool isTested(const Instruction &value) {
  constexpr unsigned enough = 64;
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> work{&value};
  while (!work.empty() && seen.size() < enough)
    for (const User *U : work.pop_back_val()->users()) {
      if (isa<CmpInst>(U) || isa<SwitchInst>(U) || isa<BranchInst>(U) || isa<SelectInst>(U))
        return true;
      if (auto *S = dyn_cast<StoreInst>(U)) {
        auto *A = dyn_cast<AllocaInst>(S->getPointerOperand());
        for (const User *other : A ? A->users() : iterator_range<Value::const_user_iterator>({}, {}))
          if (isa<LoadInst>(other) && seen.insert(other).second)
            work.push_back(other);
      } else if ((isa<CastInst>(U) || isa<BinaryOperator>(U) || isa<PHINode>(U) || isa<GetElementPtrInst>(U)) &&
                 seen.insert(U).second) {
        work.push_back(U);
      }
    }
  return false;
}

// ---- places ----

// The name without the number that tells two bodies in one function apart.
static StringRef nameOf(const DISubprogram *function) {
  StringRef name = function->getName(), plain = name.rtrim("0123456789");
  return plain.ends_with(".activity.") || plain.ends_with(".async.") ? plain.drop_back() : name;
}

Constant *Places::text(StringRef words) {
  if (words.empty())
    return ConstantPointerNull::get(abi.Ptr);
  Constant *&known = texts[words];
  if (!known) {
    Constant *characters = ConstantDataArray::getString(abi.C, words);
    auto *G = new GlobalVariable(abi.M, characters->getType(), true, GlobalValue::PrivateLinkage, characters,
                                 "charcoal.text");
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    known = G;
  }
  return known;
}

Constant *Places::make(const DILocation *at, StringRef function, StringRef variable, uint64_t size,
                       const RestsOn &restsOn, bool isTested) {
  Constant *inside = at && at->getInlinedAt() ? call(at->getInlinedAt()) : ConstantPointerNull::get(abi.Ptr);
  auto number = [&](uint64_t n) { return ConstantInt::get(abi.I32, n); };
  static_assert(sizeof(struct ch_access_place) == 48 + 8 * CH_RESTS_ON, "struct ch_access_place has changed");
  RestsOn reads(restsOn);
  reads.resize(CH_RESTS_ON, ConstantPointerNull::get(abi.Ptr));
  Constant *fields[] = {text(at ? at->getFilename() : ""),
                        text(function),
                        text(variable),
                        inside,
                        ConstantArray::get(ArrayType::get(abi.Ptr, CH_RESTS_ON), reads),
                        number(at ? at->getLine() : 0),
                        number(at ? at->getColumn() : 0),
                        number(size),
                        number(isTested)};
  Constant *place = ConstantStruct::getAnon(fields);
  return new GlobalVariable(abi.M, place->getType(), true, GlobalValue::PrivateLinkage, place, "charcoal.place");
}

Constant *Places::call(const DILocation *at) {
  const Key key{at, {nullptr, 0}};
  if (Constant *place = known.lookup(key))
    return place;
  // This also adds the places of the calls around it.
  Constant *place = make(at, nameOf(at->getScope()->getSubprogram()), "", 0, {});
  return known[key] = place;
}

static StringRef variableOf(const Value *object) {
  StringRef name = isa<GlobalVariable>(object) ? object->getName() : "";
  return name.starts_with(".") || name.starts_with("charcoal.") ? "" : name;
}

Constant *Places::of(const Instruction &I, const Value *object, uint64_t size, const RestsOn &restsOn) {
  const DILocation *at = I.getDebugLoc();
  if (DISubprogram *whole = I.getFunction()->getSubprogram(); whole && !at) // there is no better place
    at = DILocation::get(abi.C, whole->getLine(), 0, whole);
  StringRef function = at ? nameOf(at->getScope()->getSubprogram()) : I.getFunction()->getName();
  StringRef variable = variableOf(object);
  if (!restsOn.empty())
    return make(at, function, variable, size, restsOn);
  const bool tested = isa<LoadInst>(I) && isTested(I);
  const Key key{at, {at ? (const void *)variable.data() : &I, size << 1 | tested}};
  if (Constant *place = known.lookup(key))
    return place;
  Constant *place = make(at, function, variable, size, {}, tested); // also adds the places of the calls around it
  return known[key] = place;
}

// ---- on which reads a write rests ----

// Returns the last store to the local on each way to the load.
static SmallVector<StoreInst *, 4> reachingStores(LoadInst &L, AllocaInst *A) {
  SmallVector<StoreInst *, 4> stores;
  SmallPtrSet<BasicBlock *, 16> seen;
  SmallVector<Instruction *, 16> work{L.getPrevNode()}; // where each search upwards begins; null: at the block's top
  SmallVector<BasicBlock *, 16> blocks{L.getParent()};
  while (!blocks.empty()) {
    BasicBlock *BB = blocks.pop_back_val();
    Instruction *I = work.pop_back_val();
    while (I && !(isa<StoreInst>(I) && cast<StoreInst>(I)->getPointerOperand() == A))
      I = I->getPrevNode();
    if (I) {
      stores.push_back(cast<StoreInst>(I));
      continue;
    }
    for (BasicBlock *before : predecessors(BB))
      if (seen.insert(before).second) {
        blocks.push_back(before);
        work.push_back(&before->back());
      }
  }
  return stores;
}

// Collects the loads from which the value was computed. Without optimisation the search goes through local variables.
static void collectReads(Value *value, SmallPtrSetImpl<Value *> &seen, SmallVectorImpl<LoadInst *> &reads) {
  constexpr unsigned enough = 64;
  auto *I = dyn_cast<Instruction>(value);
  if (!I || seen.size() > enough || !seen.insert(I).second || reads.size() == CH_RESTS_ON)
    return;
  if (auto *L = dyn_cast<LoadInst>(I)) {
    if (auto *A = dyn_cast<AllocaInst>(L->getPointerOperand()))
      for (StoreInst *S : reachingStores(*L, A))
        collectReads(S->getValueOperand(), seen, reads);
    else
      reads.push_back(L);
    return;
  }
  if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
    return;
  for (Value *operand : I->operands())
    collectReads(operand, seen, reads);
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

static DebugLoc placeOf(const Instruction &I) {
  if (const DebugLoc &at = I.getDebugLoc())
    return at;
  DISubprogram *whole = I.getFunction()->getSubprogram();
  return whole ? DebugLoc(DILocation::get(I.getContext(), 0, 0, whole)) : DebugLoc();
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
  return name == "ch_tls" || name == "ch_checks" || name == "ch_mxcsr_changes" || name.starts_with("llvm.") ||
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
        restsOn.push_back(places.of(*L, objectOf(L->getPointerOperand()), bytes));
  }
  Constant *place = places.of(I, objectOf(pointer), bytes, restsOn);
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
  Constant *place = places.of(I, objectOf(pointer), 4);
  callAfter(I, writes ? "ch_atomicity_write_range" : "ch_atomicity_read_range", {pointer, size, place, now});
}

// ---- calls that mean something ----

static StringRef calleeName(const CallInst &CB) {
  auto *callee = dyn_cast<Function>(CB.getCalledOperand());
  if (!callee || !callee->isDeclaration())
    return "";
  StringRef name = callee->getName();
  if (name.consume_back(VersionSuffix))
    name.consume_back(VariadicInfix);
  return name;
}

static bool isOneOf(StringRef name, std::initializer_list<StringRef> names) { return is_contained(names, name); }

// Reports hand-overs. The result of a wait says whether it was one.
void Instrumenter::order(CallInst &CB) {
  StringRef name = calleeName(CB);
  if (CB.arg_empty() || !CB.getArgOperand(0)->getType()->isPointerTy())
    return;
  Value *object = CB.getArgOperand(0);
  bool posts = isOneOf(name, {"ch_sem_post", "sem_post", "pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal",
                              "cnd_broadcast", "pthread_barrier_wait"});
  bool takes = isOneOf(name, {"ch_sem_wait", "ch_sem_timedwait", "ch_sem_trywait", "sem_wait", "sem_timedwait",
                              "sem_clockwait", "sem_trywait"});
  bool waits = isOneOf(name, {"ch_activity_wait", "ch_scope_leave", "pthread_barrier_wait", "pthread_cond_wait",
                              "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait"});
  if (posts) {
    IRBuilder<> B(&CB);
    B.CreateCall(hook("ch_atomicity_post", {object}), {object})->setDebugLoc(placeOf(CB));
    changed = true;
  }
  if ((takes || waits) && !CB.isMustTailCall()) {
    CB.setTailCall(false);
    bool says = takes && CB.getType() == abi.I32;
    Value *failed = says ? static_cast<Value *>(&CB) : ConstantInt::get(abi.I32, 0);
    callAfter(CB, takes ? "ch_atomicity_take" : "ch_atomicity_wait", {object, failed});
  }
}

// Reports memory that is given back, and memory that is taken: code without reports may have given that memory back
// before.
void Instrumenter::memory(CallInst &CB) {
  StringRef name = calleeName(CB);
  bool gives = isOneOf(name, {"free", "realloc", "reallocarray"});
  bool takes =
      isOneOf(name, {"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "strdup", "strndup"});
  if (gives && CB.arg_size() > 0 && CB.getArgOperand(0)->getType()->isPointerTy()) {
    IRBuilder<> B(&CB);
    B.CreateCall(hook("ch_atomicity_forget_block", {CB.getArgOperand(0)}), {CB.getArgOperand(0)})
        ->setDebugLoc(placeOf(CB));
    changed = true;
  }
  if (takes && CB.getType()->isPointerTy() && !CB.isMustTailCall()) {
    CB.setTailCall(false);
    callAfter(CB, "ch_atomicity_forget_block", {&CB});
  }
}

// It is not known which function a call through a pointer calls. So the address of malloc, free and the like is
// replaced by that of a function that also reports the call.
void Instrumenter::memoryThroughPointers() {
  for (StringRef name : {"malloc", "calloc", "realloc", "free"}) {
    Function *plain = M.getFunction(name);
    if (!plain || !plain->isDeclaration())
      continue;
    auto isAddress = [](Use &U) {
      auto *call = dyn_cast<CallBase>(U.getUser());
      return !call || !call->isCallee(&U);
    };
    if (none_of(plain->uses(), isAddress))
      continue;
    FunctionCallee telling = M.getOrInsertFunction(("ch_atomicity_" + name).str(), plain->getFunctionType());
    plain->replaceUsesWithIf(telling.getCallee(), isAddress);
    changed = true;
  }
}

// Reports that a local's memory begins a new life, because it may have held something else before.
void Instrumenter::locals(Function &F) {
  SmallVector<AllocaInst *> all;
  for (Instruction &I : instructions(F))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isShared(A))
      all.push_back(A);
  const DataLayout &DL = M.getDataLayout();
  for (AllocaInst *A : all) {
    if (A->isStaticAlloca()) {
      uint64_t bytes = A->getAllocationSize(DL)->getFixedValue();
      bool marked = false;
      for (User *U : A->users())
        if (auto *II = dyn_cast<IntrinsicInst>(U); II && II->getIntrinsicID() == Intrinsic::lifetime_start) {
          callAfter(*II, "ch_atomicity_forget", {A, ConstantInt::get(abi.Size, bytes)});
          marked = true;
        }
      if (marked)
        continue;
      Instruction *at = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
      IRBuilder<> B(at);
      Value *arguments[] = {A, ConstantInt::get(abi.Size, bytes)};
      B.CreateCall(hook("ch_atomicity_forget", arguments), arguments)->setDebugLoc(placeOf(*at));
      changed = true;
    } else {
      IRBuilder<> B(A->getNextNode());
      Value *bytes =
          B.CreateMul(B.CreateZExtOrTrunc(A->getArraySize(), abi.Size),
                      ConstantInt::get(abi.Size, DL.getTypeAllocSize(A->getAllocatedType()).getFixedValue()));
      Value *arguments[] = {A, bytes};
      B.CreateCall(hook("ch_atomicity_forget", arguments), arguments)->setDebugLoc(placeOf(*A));
      changed = true;
    }
  }
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
