// `activate` statements, in pass `outline`: the body becomes an activity's function, and the captured variables become
// a record that ch_spawn copies. A variable that is copied lies in the record itself; of any other one the record has
// the address.
#include "abi.h"
#include "charcoal_abi.h"
#include "outliner.h"
#include "options.h"
#include "promises.h"
#include "suspension_markers.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

using namespace llvm;

namespace charcoal {

namespace {

// The runtime aligns records of up to 8 bytes to 8, and larger ones to 16.
const Align RecordAlign = Align(16);

// One field of clang's record of captures, and its place in ours.
struct Capture {
  Type *type = nullptr;                // of the field in clang's record
  uint64_t offset = 0;                 // in our record
  bool byValue = false;                // our record holds the value itself
  uint64_t size = 0;                   // of the value in bytes, if byValue
  Align align;                         // of the value, if byValue
  bool asWord = false;                 // the value has fewer bytes than a word, and is stored as a whole word
  Constant *constant = nullptr;        // the value if it is byValue and known; then no record holds it
  DILocalVariable *variable = nullptr; // as the user wrote it, if compiled with -g
};

struct Record {
  std::vector<Capture> captures;
  uint64_t size = 0; // in bytes
};

} // namespace

// ---- reading the statement ----

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

// Returns the values that are the address of the captured variable in the helper.
static SmallVector<Value *, 8> variableAddresses(Function &helper, unsigned k) {
  SmallVector<Value *, 8> result;
  for (Value *context : contexts(helper))
    for (GetElementPtrInst *gep : fieldPointers(context, k))
      for (User *user : gep->users())
        if (isa<LoadInst>(user))
          result.push_back(user);
  return result;
}

// Reads field `k`, and erases the markers by which the front end says that its variable is copied. `variable` is its
// storage in the spawner, or null. Returns nothing after an error.
static std::optional<Capture> readCapture(Function &helper, StructType *type, unsigned k, Value *variable) {
  Capture capture;
  capture.type = type->getElementType(k);
  capture.variable = declaredVariable(variable);
  bool onlyRead = true;
  for (Value *address : variableAddresses(helper, k))
    for (User *user : make_early_inc_range(address->users())) {
      auto *instruction = cast<Instruction>(user);
      if (!calls(*instruction, "__charcoal_value")) {
        onlyRead &= isa<LoadInst>(instruction);
        continue;
      }
      capture.byValue = true;
      auto *size = dyn_cast<ConstantInt>(cast<CallInst>(instruction)->getArgOperand(1));
      if (!size) {
        error(*instruction, "'activate' cannot copy a variable-length array; capture it by reference, or copy it to "
                            "memory of its own first");
        return std::nullopt;
      }
      capture.size = size->getZExtValue();
      instruction->eraseFromParent();
    }
  if (capture.byValue) {
    auto *storage = dyn_cast_or_null<AllocaInst>(variable);
    capture.align = storage ? storage->getAlign() : Align(16);
    if (storage && onlyRead)
      capture.constant = onlyValue(storage);
  }
  return capture;
}

// A number such as a descriptor that has the last word of the record for itself is stored as a whole word: then the
// record consists of words, which the runtime copies one by one.
static void widenLast(Record &record, Capture &last, const DataLayout &layout) {
  if (!last.byValue || last.offset % 8 != 0 || !isPowerOf2_64(last.size) || last.size >= 8 || layout.isBigEndian())
    return;
  last.asWord = true;
  record.size = last.offset + 8;
}

// Places the captures, the widest alignment first so that no space is lost.
static void arrange(Record &record, const DataLayout &layout) {
  std::vector<Capture *> order;
  for (Capture &capture : record.captures) {
    if (!capture.byValue) {
      capture.size = layout.getTypeStoreSize(capture.type);
      capture.align = layout.getABITypeAlign(capture.type);
    }
    if (!capture.constant)
      order.push_back(&capture);
  }
  std::sort(order.begin(), order.end(),
            [](Capture *a, Capture *b) { return a->align != b->align ? a->align > b->align : a < b; });
  bool wide = false;
  for (Capture *capture : order) {
    capture->offset = alignTo(record.size, std::min(capture->align, RecordAlign));
    record.size = capture->offset + capture->size;
    wide |= capture->align > Align(8);
  }
  if (!order.empty())
    widenLast(record, *order.back(), layout);
  if (wide)
    record.size = std::max<uint64_t>(record.size, 16);
}

static std::optional<Record> readRecord(const Statement &statement, const DataLayout &layout) {
  Record record;
  const unsigned fields = statement.type ? statement.type->getNumElements() : 0;
  // What the variables are called and hold is taken from the only spawner, if there is one.
  AllocaInst *captured = statement.callers.size() == 1 ? recordOf(*statement.callers[0]) : nullptr;
  for (unsigned k = 0; k < fields; ++k) {
    Value *variable = captured ? storedField(captured, k) : nullptr;
    std::optional<Capture> capture = readCapture(*statement.helper, statement.type, k, variable);
    if (!capture)
      return std::nullopt;
    record.captures.push_back(*capture);
  }
  arrange(record, layout);
  return record;
}

// ---- the spawner ----

// Makes the record before the call, where its lifetime begins. Returns its address, or a null pointer if it is empty.
static Value *makeRecord(CallInst &call, StructType *type, const Record &record) {
  LLVMContext &C = call.getContext();
  if (!record.size)
    return ConstantPointerNull::get(PointerType::getUnqual(C));
  IRBuilder<> entry(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
  AllocaInst *storage = entry.CreateAlloca(ArrayType::get(Type::getInt8Ty(C), record.size), nullptr, "record");
  storage->setAlignment(RecordAlign);
  IRBuilder<> B(&call);
  B.CreateLifetimeStart(storage);
  for (unsigned k = 0; k < record.captures.size(); ++k) {
    const Capture &capture = record.captures[k];
    if (capture.constant)
      continue;
    Value *from = B.CreateStructGEP(type, call.getArgOperand(0), k);
    Value *to = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), storage, capture.offset);
    Value *value = B.CreateLoad(capture.type, from);
    if (capture.asWord) {
      Value *number = B.CreateAlignedLoad(B.getIntNTy(8 * capture.size), value, capture.align);
      B.CreateAlignedStore(B.CreateZExt(number, B.getInt64Ty()), to, Align(8));
    } else if (capture.byValue)
      B.CreateMemCpy(to, std::min(capture.align, RecordAlign), value, capture.align, capture.size);
    else
      B.CreateAlignedStore(value, to, capture.align);
  }
  return storage;
}

// Puts the call of ch_spawn before the call of the helper.
static void spawn(CallInst &marker, CallInst &call, Function &helper, StructType *type, const Record &record) {
  Module &M = *call.getModule();
  LLVMContext &C = M.getContext();
  PointerType *ptr = PointerType::getUnqual(C);
  IntegerType *i32 = Type::getInt32Ty(C), *sizeType = M.getDataLayout().getIntPtrType(C);
  FunctionCallee runtime = M.getOrInsertFunction("ch_spawn", i32, ptr, ptr, ptr, sizeType, i32, ptr);
  if (auto *F = dyn_cast<Function>(runtime.getCallee())) {
    F->addParamAttr(2, Attribute::ReadOnly); // the runtime copies it
    F->addParamAttr(2, noCapture(C));
    F->addFnAttr(Attribute::NoCallback); // it only queues, so there are no yield points around it
    F->setDoesNotThrow();
  }
  Value *storage = makeRecord(call, type, record);
  IRBuilder<> B(&call);
  Value *handle = marker.getArgOperand(1);
  Value *flags = B.CreateOr(marker.getArgOperand(2), isa<ConstantPointerNull>(handle) ? CH_SPAWN_UNSEEN : 0);
  CallInst *spawnCall = B.CreateCall(
      runtime, {handle, &helper, storage, ConstantInt::get(sizeType, record.size), flags, marker.getArgOperand(3)});
  spawnCall->setDebugLoc(marker.getDebugLoc());
  if (record.size)
    B.CreateLifetimeEnd(storage);
}

// Notes the locals that the activity uses: its handle, and the variables whose addresses clang stores in its record.
static void noteLent(CallInst &marker, CallInst &call, Checks &checks) {
  Function *spawner = call.getFunction();
  if (auto *handle = dyn_cast<AllocaInst>(marker.getArgOperand(1)->stripPointerCasts()))
    checks.lent.insert({spawner, handle});
  for (Value *field : call.getArgOperand(0)->users())
    for (User *user : field->users())
      if (auto *store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == field)
        if (auto *local = dyn_cast<AllocaInst>(store->getValueOperand()->stripPointerCasts()))
          checks.lent.insert({spawner, local});
}

// A scope waits for the activity. What the activity uses by reference, or has the address of as an argument, lives
// until then.
static void outliveBlocks(CallInst &call, const Record &record, const Value *scope, Outliving &outliving) {
  for (unsigned k = 0; k < record.captures.size(); ++k) {
    Value *variable = storedField(recordOf(call), k);
    if (record.captures[k].byValue)
      outliving.pointeesOf(variable, call, scope);
    else
      outliving.variable(variable, call, scope);
  }
}

// ---- the helper ----

// Returns the address of a copied variable that is not in the record; or null.
static Value *homeOf(const Capture &capture, Function &helper, IRBuilder<> &entry) {
  if (capture.constant) {
    auto *global = new GlobalVariable(*helper.getParent(), capture.constant->getType(), true,
                                      GlobalValue::PrivateLinkage, capture.constant, helper.getName() + ".argument");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return global;
  }
  if (!capture.byValue || capture.align <= RecordAlign)
    return nullptr;
  AllocaInst *local = entry.CreateAlloca(ArrayType::get(Type::getInt8Ty(helper.getContext()), capture.size));
  local->setAlignment(capture.align);
  Value *from = entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), helper.getArg(0), capture.offset);
  entry.CreateMemCpy(local, capture.align, from, RecordAlign, capture.size);
  return local;
}

// The loads of the variable's address, from where clang's field was, become that address. The loads of a known value
// become the value, so that the following passes see a direct call if it is a function that is called.
static void replaceLoads(GetElementPtrInst *field, const Capture &capture, Value *place) {
  for (User *user : make_early_inc_range(field->users())) {
    auto *load = dyn_cast<LoadInst>(user);
    if (!load) {
      error(*cast<Instruction>(user), "internal error: 'activate' does not find a variable that it copies");
      continue;
    }
    for (User *reader : make_early_inc_range(load->users()))
      if (capture.constant && isa<LoadInst>(reader) && reader->getType() == capture.constant->getType()) {
        reader->replaceAllUsesWith(capture.constant);
        cast<Instruction>(reader)->eraseFromParent();
      }
    load->replaceAllUsesWith(place);
    load->eraseFromParent();
  }
}

// Makes the helper read our record.
static void rewriteHelper(Function &helper, const Record &record) {
  IRBuilder<> entry(&*helper.getEntryBlock().getFirstInsertionPt());
  for (unsigned k = 0; k < record.captures.size(); ++k) {
    const Capture &capture = record.captures[k];
    Value *home = homeOf(capture, helper, entry);
    for (Value *context : contexts(helper))
      for (GetElementPtrInst *field : fieldPointers(context, k)) {
        IRBuilder<> B(field);
        Value *place = home ? home : B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), context, capture.offset);
        if (capture.byValue)
          replaceLoads(field, capture, place);
        field->replaceAllUsesWith(place);
        field->eraseFromParent();
      }
  }
}

// Tells the debugger where the captured variables are, which clang does not do. Without optimization they are found
// through the variable in which clang keeps the context; otherwise through the argument, because that variable
// vanishes.
static void describeCaptures(Function &helper, const Record &record) {
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
  DIBuilder builder(*helper.getParent(), /*AllowUnresolved=*/false, scope->getUnit());
  const DILocation *place = DILocation::get(helper.getContext(), scope->getScopeLine(), 0, scope);
  for (const Capture &capture : record.captures) {
    if (!capture.variable || capture.constant || capture.align > RecordAlign ||
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

// ---- the statement ----

void outlineActivate(Statement &statement, Markers &markers, Outliving &outliving, Checks &checks) {
  Function &helper = *statement.helper;
  std::optional<Record> record = readRecord(statement, helper.getDataLayout());
  if (!record)
    return;
  for (CallInst *call : statement.callers) {
    CallInst *marker = markers.find(*call->getFunction(), "__charcoal_spawn", statement.uid);
    if (!marker) {
      error(*call, "internal error: the body of an 'activate' statement has lost its beginning");
      return;
    }
    nameHelper(helper, *call->getFunction(), ".activity");
    spawn(*marker, *call, helper, statement.type, *record);
    if (auto *handle = dyn_cast<Instruction>(marker->getArgOperand(1)); handle && calls(*handle, "ch_in"))
      outliveBlocks(*call, *record, cast<CallBase>(handle)->getArgOperand(0), outliving);
    noteLent(*marker, *call, checks);
    call->eraseFromParent();
    markers.erase(marker);
    checks.spawned = true;
  }
  rewriteHelper(helper, *record);
  describeCaptures(helper, *record);
  helper.addFnAttr(ActivityAttr);
}

} // namespace charcoal
