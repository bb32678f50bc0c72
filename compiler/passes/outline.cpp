// Pass `outline`: `activate` statements become calls of ch_spawn, `async` statements calls of their bodies.
//
//   takes   what the front end made of the dialect (compiler/syntax/forms/): for each `activate` the marker
//           __charcoal_spawn(uid, …), followed by a call of the helper that clang made of the captured block,
//           which begins with __charcoal_body(uid) and one __charcoal_value(&v, sizeof v) per copied variable;
//           for each `async` likewise __charcoal_async(uid, scope) and a helper, and no copied variables;
//           annotations "charcoal.atomic" and "charcoal.never_waits" on functions
//   leaves  ch_spawn(handle, @helper, record, size, flags, site); the helper with the attribute
//           "charcoal-activity"; calls of async bodies with a bundle (async.h); functions with the attribute
//           "charcoal-atomic" or "charcoal-never-waits"; none of those markers
//
//   before                                          after
//     call @__charcoal_spawn(7, %act, 0, @site)       %record = alloca { ptr, [4 x i8] }
//     %captures = { &x, &i }                          store &x; copy the value of i
//     call @__captured_stmt(%captures)                call @ch_spawn(%act, @f.activity, %record, 12, 0, @site)
//   @__captured_stmt(%context)                      @f.activity(%context)
//     call @__charcoal_body(7)                        (x is at *(%context + 0), i at %context + 8)
//     call @__charcoal_value(&i, 4)
//
// The body of an `async` statement gets the addresses of what it captures as arguments, not in a record:
//
//     call @__charcoal_async(8, %scope)               call @f.async(%x, %i) [ "charcoal.async"(%scope, %x, %i) ]
//     call @__captured_stmt(%captures)
//
// Spawn and helper are paired by uid, not by neighbourhood: sanitizers put branches in between. The IR is as clang
// wrote it, not optimized: a captured variable's address is always loaded from a GEP on the context.
//
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-outline
#include "outline.h"
#include "async.h"
#include "charcoal_abi.h"
#include "suspension_markers.h"
#include "options.h"
#include "promises.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <optional>

using namespace llvm;

namespace charcoal {

namespace {

// One field of clang's record of captures, and its place in ours.
struct Capture {
  Type *type = nullptr;                // of the field in clang's record
  uint64_t offset = 0;                 // in our record
  bool byValue = false;                // our record holds the value itself
  uint64_t size = 0;                   // of the value in bytes, if byValue
  Align align;                         // of the value, if byValue
  Constant *constant = nullptr;        // the value if it is byValue and known; then no record holds it
  DILocalVariable *variable = nullptr; // as the user wrote it, if compiled with -g
};

class Outliner {
public:
  explicit Outliner(Module &M) : M(M), layout(M.getDataLayout()) {}
  bool run();

private:
  void findMarkers();
  CallInst *findMarker(const Function &, StringRef name, uint64_t uid) const;
  void eraseMarker(CallInst *);
  void outline(CallInst *bodyMarker);
  std::optional<std::vector<Capture>> captures(Function &helper, StructType *, AllocaInst *clangRecord);
  void spawn(CallInst *marker, CallInst *call, Function &helper, StructType *, const std::vector<Capture> &,
             uint64_t size);
  void rewriteHelper(Function &helper, const std::vector<Capture> &);
  void offload(CallInst *marker);
  void outlineAsync(CallInst *bodyMarker, ArrayRef<CallInst *> callers, StructType *);
  Function *takeArguments(Function &helper, StructType *);
  void nameHelper(Function &helper, const Function &spawner, StringRef suffix);
  void describeArguments(Function &helper, ArrayRef<DILocalVariable *>);
  void describeCaptures(Function &helper, const std::vector<Capture> &);
  void markNeverWaits(Function &);
  bool markFunctions();
  void turnChecksOn();
  void checkReturns();

  Module &M;
  const DataLayout &layout;
  DenseMap<uint64_t, SmallVector<CallInst *, 1>> markers; // __charcoal_spawn and __charcoal_async, by uid
  bool spawned = false, neverWaits = false;
  SetVector<std::pair<Function *, AllocaInst *>> lent; // locals that activities use by reference
};

} // namespace

// ---- finding things ----

void Outliner::findMarkers() {
  for (StringRef name : {"__charcoal_spawn", "__charcoal_async"})
    if (Function *marker = M.getFunction(name))
      for (User *user : marker->users())
        if (auto *call = dyn_cast<CallInst>(user))
          markers[cast<ConstantInt>(call->getArgOperand(0))->getZExtValue()].push_back(call);
}

CallInst *Outliner::findMarker(const Function &F, StringRef name, uint64_t uid) const {
  for (CallInst *call : markers.lookup(uid))
    if (call->getFunction() == &F && calls(*call, name))
      return call;
  return nullptr;
}

void Outliner::eraseMarker(CallInst *marker) {
  llvm::erase(markers[cast<ConstantInt>(marker->getArgOperand(0))->getZExtValue()], marker);
  marker->eraseFromParent();
}

// Returns the values that hold the helper's context pointer: the argument itself, or what is loaded from where clang
// stored it.
static SmallVector<Value *, 8> contexts(Function &helper) {
  SmallVector<Value *, 8> result = {helper.getArg(0)};
  for (User *user : helper.getArg(0)->users())
    if (auto *store = dyn_cast<StoreInst>(user))
      for (User *reader : store->getPointerOperand()->users())
        if (auto *load = dyn_cast<LoadInst>(reader))
          result.push_back(load);
  return result;
}

// Returns the uses of field `k` of clang's record through a pointer to the record: GEPs, or for field 0 the pointer
// itself.
static SmallVector<GetElementPtrInst *, 8> fieldPointers(Value *record, unsigned k) {
  SmallVector<GetElementPtrInst *, 8> result;
  for (User *user : record->users())
    if (auto *gep = dyn_cast<GetElementPtrInst>(user))
      if (gep->getPointerOperand() == record && gep->getNumIndices() == 2)
        if (auto *index = dyn_cast<ConstantInt>(gep->getOperand(2)); index && index->getZExtValue() == k)
          result.push_back(gep);
  return result;
}

static Value *storedField(AllocaInst *record, unsigned k) {
  for (GetElementPtrInst *gep : fieldPointers(record, k))
    for (User *user : gep->users())
      if (auto *store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == gep)
        return store->getValueOperand();
  return nullptr;
}

static DILocalVariable *declaredVariable(Value *storage) {
  if (!storage)
    return nullptr;
  for (DbgVariableRecord *record : findDVRDeclares(storage))
    return record->getVariable();
  if (auto *alloca = dyn_cast<AllocaInst>(storage)) // when clang optimizes it describes variables in this way
    for (DbgVariableRecord *record : at::getDVRAssignmentMarkers(alloca))
      return record->getVariable();
  return nullptr;
}

// Returns the constant that a copied variable always holds, because it is stored once and then only captured; null if
// there is none.
static Constant *onlyValue(Value *variable) {
  Constant *value = nullptr;
  for (User *user : variable->users()) {
    auto *store = dyn_cast<StoreInst>(user);
    if (store && store->getPointerOperand() == variable) {
      if (value || !isa<Constant>(store->getValueOperand()))
        return nullptr;
      value = cast<Constant>(store->getValueOperand());
    } else if (!store && !isa<LifetimeIntrinsic>(user))
      return nullptr;
  }
  return value;
}

// ---- the record ----

std::optional<std::vector<Capture>> Outliner::captures(Function &helper, StructType *type, AllocaInst *clangRecord) {
  std::vector<Capture> result;
  for (unsigned k = 0; k < type->getNumElements(); ++k) {
    Capture capture;
    capture.type = type->getElementType(k);
    Value *variable = clangRecord ? storedField(clangRecord, k) : nullptr;
    capture.variable = declaredVariable(variable);
    SmallVector<Value *, 8> pointers; // the captured variable's address in the helper
    for (Value *context : contexts(helper))
      for (GetElementPtrInst *gep : fieldPointers(context, k))
        for (User *user : gep->users())
          if (isa<LoadInst>(user))
            pointers.push_back(user);
    bool onlyRead = true;
    for (Value *pointer : pointers)
      for (User *user : make_early_inc_range(pointer->users())) {
        auto *instruction = cast<Instruction>(user);
        if (!calls(*instruction, "__charcoal_value")) {
          onlyRead &= isa<LoadInst>(instruction);
          continue;
        }
        capture.byValue = true;
        if (auto *size = dyn_cast<ConstantInt>(cast<CallInst>(instruction)->getArgOperand(1)))
          capture.size = size->getZExtValue();
        else {
          error(*instruction,
                "'activate' cannot copy a variable-length array; capture it by reference, or copy it to memory "
                "of its own first");
          return std::nullopt;
        }
        instruction->eraseFromParent();
      }
    if (capture.byValue) {
      auto *storage = dyn_cast_or_null<AllocaInst>(variable);
      capture.align = storage ? storage->getAlign() : Align(16);
      if (storage && onlyRead)
        capture.constant = onlyValue(storage);
    }
    result.push_back(capture);
  }
  return result;
}

// Places the captures, the widest alignment first so that no space is lost. Returns the size of the record.
static uint64_t arrange(std::vector<Capture> &captures, const DataLayout &layout) {
  std::vector<Capture *> order;
  for (Capture &capture : captures) {
    if (!capture.byValue) {
      capture.size = layout.getTypeStoreSize(capture.type);
      capture.align = layout.getABITypeAlign(capture.type);
    }
    if (!capture.constant)
      order.push_back(&capture);
  }
  std::sort(order.begin(), order.end(),
            [](Capture *a, Capture *b) { return a->align != b->align ? a->align > b->align : a < b; });
  uint64_t size = 0;
  bool wide = false; // the runtime aligns records of up to 8 bytes to 8, and larger ones to 16
  for (Capture *capture : order) {
    capture->offset = alignTo(size, std::min(capture->align, Align(16)));
    size = capture->offset + capture->size;
    wide |= capture->align > Align(8);
  }
  return wide ? std::max<uint64_t>(size, 16) : size;
}

// ---- the spawner ----

void Outliner::spawn(CallInst *marker, CallInst *call, Function &helper, StructType *type,
                     const std::vector<Capture> &captures, uint64_t size) {
  Function &spawner = *marker->getFunction();
  LLVMContext &C = M.getContext();
  PointerType *ptr = PointerType::getUnqual(C);
  IntegerType *i32 = Type::getInt32Ty(C), *sizeType = layout.getIntPtrType(C);
  Value *record = ConstantPointerNull::get(ptr);
  IRBuilder<> B(call);
  if (size) {
    IRBuilder<> entry(&*spawner.getEntryBlock().getFirstInsertionPt());
    AllocaInst *storage = entry.CreateAlloca(ArrayType::get(Type::getInt8Ty(C), size), nullptr, "record");
    storage->setAlignment(Align(16));
    record = storage;
    for (unsigned k = 0; k < captures.size(); ++k) {
      const Capture &capture = captures[k];
      if (capture.constant)
        continue;
      Value *from = B.CreateStructGEP(type, call->getArgOperand(0), k);
      Value *to = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), record, capture.offset);
      Value *value = B.CreateLoad(capture.type, from);
      if (capture.byValue)
        B.CreateMemCpy(to, std::min(capture.align, Align(16)), value, capture.align, capture.size);
      else
        B.CreateAlignedStore(value, to, capture.align);
    }
  }
  FunctionCallee runtime = M.getOrInsertFunction("ch_spawn", i32, ptr, ptr, ptr, sizeType, i32, ptr);
  if (auto *F = dyn_cast<Function>(runtime.getCallee())) {
    F->addParamAttr(2, Attribute::ReadOnly); // the runtime copies it
    F->addFnAttr(Attribute::NoCallback);     // it only queues, so there are no yield points around it
    F->setDoesNotThrow();
  }
  Value *handle = marker->getArgOperand(1);
  Value *flags = B.CreateOr(marker->getArgOperand(2), isa<ConstantPointerNull>(handle) ? CH_SPAWN_UNSEEN : 0);
  CallInst *spawnCall = B.CreateCall(
      runtime, {handle, &helper, record, ConstantInt::get(sizeType, size), flags, marker->getArgOperand(3)});
  spawnCall->setDebugLoc(marker->getDebugLoc());
  spawned = true;
  if (auto *handle = dyn_cast<AllocaInst>(marker->getArgOperand(1)->stripPointerCasts()))
    lent.insert({&spawner, handle});
  // Clang stores the addresses of the captured variables in its record.
  for (Value *field : call->getArgOperand(0)->users())
    for (User *user : field->users())
      if (auto *store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == field)
        if (auto *local = dyn_cast<AllocaInst>(store->getValueOperand()->stripPointerCasts()))
          lent.insert({&spawner, local});
}

// ---- the helper ----

void Outliner::rewriteHelper(Function &helper, const std::vector<Capture> &captures) {
  LLVMContext &C = M.getContext();
  IRBuilder<> entry(&*helper.getEntryBlock().getFirstInsertionPt());
  for (unsigned k = 0; k < captures.size(); ++k) {
    const Capture &capture = captures[k];
    Value *home = nullptr; // the address of a copied variable that is not in the record
    if (capture.constant) {
      auto *global = new GlobalVariable(M, capture.constant->getType(), true, GlobalValue::PrivateLinkage,
                                        capture.constant, helper.getName() + ".argument");
      global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
      home = global;
    } else if (capture.byValue && capture.align > Align(16)) {
      AllocaInst *local = entry.CreateAlloca(ArrayType::get(Type::getInt8Ty(C), capture.size));
      local->setAlignment(capture.align);
      Value *from = entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), helper.getArg(0), capture.offset);
      entry.CreateMemCpy(local, capture.align, from, Align(16), capture.size);
      home = local;
    }
    for (Value *context : contexts(helper))
      for (GetElementPtrInst *gep : fieldPointers(context, k)) {
        IRBuilder<> B(gep);
        Value *place = home ? home : B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), context, capture.offset);
        if (capture.byValue) // clang's field holds the variable's address, which is now `place`
          for (User *user : make_early_inc_range(gep->users())) {
            if (capture.constant) // so that the following passes see a direct call if a known function is called
              for (User *reader : make_early_inc_range(user->users()))
                if (isa<LoadInst>(reader) && reader->getType() == capture.constant->getType()) {
                  reader->replaceAllUsesWith(capture.constant);
                  cast<Instruction>(reader)->eraseFromParent();
                }
            auto *load = dyn_cast<LoadInst>(user);
            if (!load) {
              error(*cast<Instruction>(user), "internal error: 'activate' does not find a variable that it copies");
              continue;
            }
            load->replaceAllUsesWith(place);
            load->eraseFromParent();
          }
        gep->replaceAllUsesWith(place);
        gep->eraseFromParent();
      }
  }
}

// Backtraces, profiles and the debugger show `f.activity` instead of clang's `__captured_stmt`.
void Outliner::nameHelper(Function &helper, const Function &spawner, StringRef suffix) {
  StringRef base = spawner.getName();
  base = base.substr(0, std::min(base.find(".activity"), base.find(".async")));
  helper.setName(base + suffix);
  if (DISubprogram *described = helper.getSubprogram(); described && described->isDistinct()) {
    MDString *name = MDString::get(M.getContext(), helper.getName());
    described->replaceOperandWith(2, name); // name
    if (described->getRawLinkageName())
      described->replaceOperandWith(3, name); // linkage name
  }
}

// Tells the debugger where the captured variables are, which clang does not do. Without optimization they are found
// through the variable in which clang keeps the context; otherwise through the argument, because that variable
// vanishes.
void Outliner::describeCaptures(Function &helper, const std::vector<Capture> &captures) {
  DISubprogram *scope = helper.getSubprogram();
  if (!scope)
    return;
  Value *context = helper.getArg(0);
  Instruction *at = &*helper.getEntryBlock().getFirstInsertionPt();
  const bool optimized = !helper.hasFnAttribute(Attribute::OptimizeNone);
  for (User *user : helper.getArg(0)->users())
    if (auto *store = dyn_cast<StoreInst>(user); store && !optimized) {
      context = store->getPointerOperand();
      at = store->getNextNode();
    }
  DIBuilder builder(M, /*AllowUnresolved=*/false, scope->getUnit());
  const DILocation *place = DILocation::get(M.getContext(), scope->getScopeLine(), 0, scope);
  for (const Capture &capture : captures) {
    if (!capture.variable || capture.constant || capture.align > Align(16) ||
        capture.variable->getName().starts_with("__charcoal_"))
      continue;
    DILocalVariable *variable =
        builder.createAutoVariable(scope, capture.variable->getName(), capture.variable->getFile(),
                                   capture.variable->getLine(), capture.variable->getType(), /*AlwaysPreserve=*/true);
    SmallVector<uint64_t, 5> path;
    if (context != helper.getArg(0))
      path.push_back(dwarf::DW_OP_deref);
    if (capture.offset)
      path.append({dwarf::DW_OP_plus_uconst, capture.offset});
    if (!capture.byValue)
      path.push_back(dwarf::DW_OP_deref);
    BasicBlock::iterator point = at->getIterator();
    if (optimized) { // dbg.value describes the value and not its address, so one more dereference is needed
      path.push_back(dwarf::DW_OP_deref);
      builder.insertDbgValueIntrinsic(context, variable, builder.createExpression(path), place, point);
    } else
      builder.insertDeclare(context, variable, builder.createExpression(path), place, point);
  }
}

// ---- one statement ----

void Outliner::outline(CallInst *bodyMarker) {
  Function &helper = *bodyMarker->getFunction();
  const uint64_t uid = cast<ConstantInt>(bodyMarker->getArgOperand(0))->getZExtValue();
  SmallVector<CallInst *, 2> callers;
  for (User *user : make_early_inc_range(helper.users())) {
    if (auto *invoke = dyn_cast<InvokeInst>(user)) // with -fexceptions, although no spawn throws
      callers.push_back(changeToCall(invoke));
    else if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == &helper)
      callers.push_back(call);
  }

  StructType *type = nullptr;
  AllocaInst *clangRecord = nullptr;
  if (!callers.empty()) {
    clangRecord = dyn_cast<AllocaInst>(callers[0]->getArgOperand(0)->stripPointerCasts());
    type = clangRecord ? dyn_cast<StructType>(clangRecord->getAllocatedType()) : nullptr;
    if (!type) {
      error(*callers[0], "internal error: 'activate' or 'async' does not find the variables that it uses");
      return;
    }
  }
  if (!callers.empty() && !findMarker(*callers[0]->getFunction(), "__charcoal_spawn", uid)) {
    outlineAsync(bodyMarker, callers, type);
    return;
  }
  std::vector<Capture> all;
  if (type) {
    auto found = captures(helper, type, callers.size() == 1 ? clangRecord : nullptr);
    if (!found)
      return;
    all = std::move(*found);
  }
  const uint64_t size = arrange(all, layout);
  for (CallInst *call : callers) {
    CallInst *marker = findMarker(*call->getFunction(), "__charcoal_spawn", uid);
    if (!marker) {
      error(*call, "internal error: the body of an 'activate' statement has lost its beginning");
      return;
    }
    nameHelper(helper, *call->getFunction(), ".activity");
    spawn(marker, call, helper, type, all, size);
    call->eraseFromParent();
    eraseMarker(marker);
  }
  bodyMarker->eraseFromParent();
  if (callers.empty()) { // the statement is unreachable
    helper.eraseFromParent();
    return;
  }
  rewriteHelper(helper, all);
  describeCaptures(helper, all);
  helper.addFnAttr(ActivityAttr);
}

// ---- a block on a thread of the pool ----

// The block's helper, which begins with the marker, becomes plain code; its call becomes ch_offload(@helper, record).
void Outliner::offload(CallInst *marker) {
  Function &helper = *marker->getFunction();
  PointerType *ptr = PointerType::getUnqual(M.getContext());
  FunctionCallee run = M.getOrInsertFunction("ch_offload", Type::getInt32Ty(M.getContext()), ptr, ptr);
  for (User *user : make_early_inc_range(helper.users())) {
    if (auto *invoke = dyn_cast<InvokeInst>(user))
      user = changeToCall(invoke);
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledOperand() != &helper)
      continue;
    nameHelper(helper, *call->getFunction(), ".offload");
    IRBuilder<> B(call);
    B.CreateCall(run, {&helper, call->getArgOperand(0)});
    call->eraseFromParent();
  }
  helper.addFnAttr(AtomicAttr);
  marker->eraseFromParent();
}

// ---- async ----

// Turns the fields of clang's record into arguments. Returns the new function, or null if the record is used in any
// other way.
Function *Outliner::takeArguments(Function &helper, StructType *type) {
  SmallVector<Value *, 8> records = contexts(helper);
  SmallVector<std::pair<LoadInst *, unsigned>> loads;
  SmallVector<Instruction *> dead;
  for (Value *record : records) {
    unsigned accounted = 0;
    for (unsigned k = 0; k < type->getNumElements(); ++k)
      for (GetElementPtrInst *field : fieldPointers(record, k)) {
        ++accounted;
        dead.push_back(field);
        for (User *user : field->users()) {
          auto *load = dyn_cast<LoadInst>(user);
          if (!load || load->getType() != type->getElementType(k))
            return nullptr;
          loads.push_back({load, k});
        }
      }
    if (record != helper.getArg(0)) {
      if (accounted != record->getNumUses())
        return nullptr;
      dead.push_back(cast<Instruction>(record));
    }
  }
  auto *F = Function::Create(FunctionType::get(helper.getReturnType(), type->elements(), false), helper.getLinkage(),
                             helper.getAddressSpace(), "", &M);
  F->copyAttributesFrom(&helper);
  F->setAttributes(AttributeList().addFnAttributes(M.getContext(),
                                                   AttrBuilder(M.getContext(), helper.getAttributes().getFnAttrs())));
  F->copyMetadata(&helper, 0);
  helper.setSubprogram(nullptr);
  F->splice(F->begin(), &helper);
  for (auto &[load, k] : loads) {
    load->replaceAllUsesWith(F->getArg(k));
    load->eraseFromParent();
  }
  for (Instruction *I : dead)
    I->eraseFromParent();
  // Clang has stored the record's address in a local, which is not needed any more.
  Argument *record = helper.getArg(0);
  for (User *user : make_early_inc_range(record->users()))
    if (auto *store = dyn_cast<StoreInst>(user)) {
      auto *place = dyn_cast<AllocaInst>(store->getPointerOperand());
      store->eraseFromParent();
      if (place && place->use_empty())
        place->eraseFromParent();
    } else {
      cast<Instruction>(user)->replaceUsesOfWith(record, PoisonValue::get(record->getType())); // in debug records
    }
  record->replaceAllUsesWith(PoisonValue::get(record->getType()));
  return F;
}

// Tells the debugger that the captured variables are where the arguments point.
void Outliner::describeArguments(Function &helper, ArrayRef<DILocalVariable *> variables) {
  DISubprogram *scope = helper.getSubprogram();
  if (!scope)
    return;
  const bool optimized = !helper.hasFnAttribute(Attribute::OptimizeNone);
  DIBuilder builder(M, /*AllowUnresolved=*/false, scope->getUnit());
  const DILocation *place = DILocation::get(M.getContext(), scope->getScopeLine(), 0, scope);
  IRBuilder<> entry(&*helper.getEntryBlock().getFirstInsertionPt());
  for (unsigned k = 0; k < variables.size(); ++k) {
    if (!variables[k] || variables[k]->getName().starts_with("__charcoal_"))
      continue;
    DILocalVariable *variable =
        builder.createAutoVariable(scope, variables[k]->getName(), variables[k]->getFile(), variables[k]->getLine(),
                                   variables[k]->getType(), /*AlwaysPreserve=*/true);
    DIExpression *deref = builder.createExpression({dwarf::DW_OP_deref});
    BasicBlock::iterator point = helper.getEntryBlock().getFirstInsertionPt();
    if (optimized) {
      builder.insertDbgValueIntrinsic(helper.getArg(k), variable, deref, place, point);
    } else {
      AllocaInst *slot = entry.CreateAlloca(helper.getArg(k)->getType(), nullptr, "capture");
      entry.CreateStore(helper.getArg(k), slot);
      builder.insertDeclare(slot, variable, deref, place, point);
    }
  }
}

// A captured variable lives as long as the branch can, which is until its scope is left and not until its block ends.
static void outliveBlock(Value *variable) {
  if (auto *local = dyn_cast_or_null<AllocaInst>(variable)) {
    for (User *user : make_early_inc_range(local->users()))
      if (auto *I = cast<Instruction>(user); I->isLifetimeStartOrEnd())
        I->eraseFromParent();
    if (!local->isStaticAlloca())
      for (Instruction &I : make_early_inc_range(instructions(*local->getFunction())))
        if (auto *II = dyn_cast<IntrinsicInst>(&I); II && II->getIntrinsicID() == Intrinsic::stackrestore)
          II->eraseFromParent();
  }
}

void Outliner::outlineAsync(CallInst *bodyMarker, ArrayRef<CallInst *> callers, StructType *type) {
  Function &helper = *bodyMarker->getFunction();
  const uint64_t uid = cast<ConstantInt>(bodyMarker->getArgOperand(0))->getZExtValue();
  bodyMarker->eraseFromParent();
  SmallVector<DILocalVariable *> variables;
  auto *record = cast<AllocaInst>(callers[0]->getArgOperand(0)->stripPointerCasts());
  for (unsigned k = 0; k < type->getNumElements(); ++k)
    variables.push_back(declaredVariable(storedField(record, k)));
  for (CallInst *call : callers)
    for (unsigned k = 0; k < type->getNumElements(); ++k)
      outliveBlock(storedField(cast<AllocaInst>(call->getArgOperand(0)->stripPointerCasts()), k));
  Function *flat = takeArguments(helper, type);
  Function &body = flat ? *flat : helper;
  if (flat)
    describeArguments(body, variables);
  SmallVector<CallInst *> started;
  for (CallInst *call : callers) {
    CallInst *marker = findMarker(*call->getFunction(), "__charcoal_async", uid);
    if (!marker) {
      error(*call, "internal error: the body of an 'async' statement has lost its beginning");
      continue;
    }
    nameHelper(body, *call->getFunction(), ".async");
    Value *scope = marker->getArgOperand(1);
    if (flat) {
      IRBuilder<> B(call);
      SmallVector<Value *> arguments;
      for (unsigned k = 0; k < type->getNumElements(); ++k)
        arguments.push_back(B.CreateLoad(type->getElementType(k), B.CreateStructGEP(type, call->getArgOperand(0), k)));
      CallInst *direct = B.CreateCall(flat, arguments);
      direct->setDoesNotThrow();
      direct->setDebugLoc(call->getDebugLoc());
      call->eraseFromParent();
      call = direct;
    }
    started.push_back(makeAsync(*call, scope));
    eraseMarker(marker);
  }
  if (flat)
    helper.eraseFromParent();
  if (started.size() == 1)
    shorten(*started[0]);
}

// ---- functions declared `atomic` or `ch_never_waits` ----

// The function needs a frame, because the runtime finds a wait in the function by this frame.
void Outliner::markNeverWaits(Function &F) {
  F.addFnAttr(NeverWaitsAttr);
  F.removeFnAttr(Attribute::AlwaysInline);
  F.addFnAttr(Attribute::NoInline);
  neverWaits = true;
}

bool Outliner::markFunctions() {
  GlobalVariable *annotations = M.getGlobalVariable("llvm.global.annotations");
  auto *entries =
      annotations && annotations->hasInitializer() ? dyn_cast<ConstantArray>(annotations->getInitializer()) : nullptr;
  if (!entries)
    return false;
  std::vector<Constant *> others;
  for (Value *entry : entries->operands()) {
    auto *fields = cast<ConstantStruct>(entry);
    auto *text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    auto *data = text ? dyn_cast<ConstantDataArray>(text->getInitializer()) : nullptr;
    const StringRef says = data && data->isCString() ? data->getAsCString() : "";
    auto *F = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
    if (says != "charcoal.atomic" && says != "charcoal.never_waits")
      others.push_back(fields);
    else if (F && says == "charcoal.atomic")
      F->addFnAttr(AtomicAttr);
    else if (F && options().checks)
      markNeverWaits(*F);
  }
  if (others.size() == entries->getNumOperands())
    return false;
  if (!others.empty()) {
    auto *type = ArrayType::get(entries->getType()->getElementType(), others.size());
    auto *rest = new GlobalVariable(M, type, annotations->isConstant(), annotations->getLinkage(),
                                    ConstantArray::get(type, others));
    rest->copyAttributesFrom(annotations);
    rest->takeName(annotations);
  }
  annotations->eraseFromParent();
  return true;
}

// The runtime checks only if it is asked to, so a module that is compiled with checks asks for it when it is loaded.
void Outliner::turnChecksOn() {
  LLVMContext &C = M.getContext();
  Type *nothing = Type::getVoidTy(C);
  Function *constructor =
      Function::Create(FunctionType::get(nothing, false), GlobalValue::InternalLinkage, "charcoal.checks", M);
  constructor->addFnAttr(AtomicAttr);
  IRBuilder<> B(BasicBlock::Create(C, "", constructor));
  if (spawned)
    B.CreateStore(B.getInt32(1), M.getOrInsertGlobal("ch_checks", Type::getInt32Ty(C)));
  if (neverWaits)
    B.CreateCall(M.getOrInsertFunction("ch_never_waits_is_checked", nothing));
  B.CreateRetVoid();
  appendToGlobalCtors(M, constructor, 65535);
}

// Before each return of a function that lent locals to activities, the runtime checks whether one of these activities
// is alive. No record has the address of a copied variable, so the check finds nothing for it.
void Outliner::checkReturns() {
  LLVMContext &C = M.getContext();
  PointerType *ptr = PointerType::getUnqual(C);
  IntegerType *size = layout.getIntPtrType(C);
  FunctionCallee check = M.getOrInsertFunction("ch_captures_local_ends", Type::getVoidTy(C), ptr, size, ptr);
  if (auto *F = dyn_cast<Function>(check.getCallee())) {
    F->addFnAttr(Attribute::NoCallback); // so there are no yield points around it
    F->setDoesNotThrow();
  }
  for (auto [F, local] : lent)
    for (BasicBlock &BB : *F) {
      auto *R = dyn_cast_if_present<ReturnInst>(BB.getTerminator());
      // At the end of main the program ends, so activities that still run use no local any more.
      if (!R || BB.getTerminatingMustTailCall() || !local->isStaticAlloca() || F->getName() == "main")
        continue;
      std::string where = F->getName().str();
      if (const DebugLoc &place = R->getDebugLoc())
        where += (" (" + place->getFilename() + ":" + Twine(place->getLine()) + ")").str();
      IRBuilder<> B(R);
      B.CreateCall(check, {local, ConstantInt::get(size, local->getAllocationSize(layout)->getFixedValue()),
                           B.CreateGlobalString(where, "charcoal.return", 0, &M)});
    }
}

bool Outliner::run() {
  bool changed = markFunctions();
  if (Function *marker = M.getFunction("__charcoal_body")) {
    // Outer bodies come before those inside them, because an inner body's captures are named after variables of its
    // spawner.
    std::vector<CallInst *> bodies;
    for (User *user : marker->users())
      bodies.push_back(cast<CallInst>(user));
    std::sort(bodies.begin(), bodies.end(), [](CallInst *a, CallInst *b) {
      return cast<ConstantInt>(a->getArgOperand(0))->getZExtValue() <
             cast<ConstantInt>(b->getArgOperand(0))->getZExtValue();
    });
    findMarkers();
    for (CallInst *body : bodies)
      outline(body);
    changed = true;
  }
  if (Function *marker = M.getFunction("__charcoal_offload"))
    for (User *user : make_early_inc_range(marker->users()))
      offload(cast<CallInst>(user));
  for (StringRef name : {"__charcoal_spawn", "__charcoal_async", "__charcoal_body", "__charcoal_value",
                         "__charcoal_offload", "__charcoal_dialect"})
    if (Function *marker = M.getFunction(name); marker && marker->use_empty())
      marker->eraseFromParent();
  if ((spawned || neverWaits) && options().checks)
    turnChecksOn();
  if (spawned && options().checks)
    checkReturns();
  return changed;
}

PreservedAnalyses OutlinePass::run(Module &M, ModuleAnalysisManager &) {
  return Outliner(M).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
