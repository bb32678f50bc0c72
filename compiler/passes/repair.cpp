// Pass `repair`: makes valid what clang's front end leaves invalid, because clang compiles it nevertheless.
//
//   takes   the module as clang made it; clang does not check it
//   leaves  a module that the checks after each stage accept, as far as the front end's mistakes are known
//
//     %w = insertelement <8 x i1> %v, i8 %x, i32 3    =>    %b = trunc i8 %x to i1
//                                                           %w = insertelement <8 x i1> %v, i1 %b, i32 3
//
// clang 22 forgets this conversion where a program assigns to an element of a vector of _Bool. Its value has the width
// of the whole vector in memory: a byte for 8 elements, 33 bits for 33. The code generator takes the lowest bit then,
// and so does the conversion.
//
//     %r = cmpxchg ptr %p, i1 %old, i1 %new           =>    zext to i8; cmpxchg ptr %p, i8 %o, i8 %n; trunc to i1
//     %r = cmpxchg ptr %p, i80 %old, i80 %new         =>    call i1 @__atomic_compare_exchange(i64 10, ptr %p, …)
//     %r = atomicrmw max ptr %p, i24 %x               =>    a loop around such a compare and exchange
//
// clang 22 makes these of `omp atomic compare` for a _Bool, a _BitInt and a long double, though no atomic instruction
// has such a size. The code generator does then what stands on the right. Alone: opt -passes=charcoal-repair cannot
// read such a module.
//
//     %v = alloca [13 x i8]
//     %r = call swiftcc { i64, i64 } @f()
//     store i64 (the second word of %r) to %v + 8     =>    store i40 (the same, truncated) to %v + 8
//
// A structure passes the border of a swiftcall function as words, and clang 22 stores and loads the last one as a
// whole, past the end of the structure. Behind it in a frame there is another local, and the optimizer drops such a
// store of clang's own.
//
//     %y = callbr i64 asm "…", "=r,0,!i"(i64 %x)      =>    store %x, %given; %x' = load volatile %given
//            to label %on [label %jumped]                   %y = callbr i64 asm "…", "=r,0,!i"(i64 %x') …
//     on:     … %y …                                        on:     store %y, %slot; … (load volatile %slot) …
//     jumped: … %y …                                        jumped: store %y, %slot; … (load volatile %slot) …
//
// If the code generator of clang 22 runs out of registers, it saves a result of asm goto only where the assembly falls
// through, and a use behind a label reads what was never saved. So the result is in memory from the beginning of each
// way out on, and what goes into its register comes from memory just before: the register is needed so shortly that it
// is never saved. The reads are volatile, so that nobody makes a register of the memory again.
#include "repair.h"
#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace charcoal {

static bool insertsWiderThanBit(const InsertElementInst &I) {
  return I.getType()->getElementType()->isIntegerTy(1) && !I.getOperand(1)->getType()->isIntegerTy(1);
}

static bool isPartOfByte(const Type *type) { return type->isIntegerTy() && type->getIntegerBitWidth() < 8; }

static bool hasNoAtomicSize(const Type *type) {
  return isPartOfByte(type) || type->isX86_FP80Ty() ||
         (type->isIntegerTy() && !isPowerOf2_32(type->getIntegerBitWidth()));
}

// A compare and exchange of such a value at `place`. `success` and `found` are its results.
static void compareAndExchange(IRBuilderBase &builder, Value *place, Value *old, Value *desired, Align align,
                               AtomicOrdering order, SyncScope::ID scope, Value *&success, Value *&found,
                               Instruction *) {
  const AtomicOrdering failure = AtomicCmpXchgInst::getStrongestFailureOrdering(order);
  Type *type = old->getType(), *byte = builder.getInt8Ty();
  if (isPartOfByte(type)) {
    Value *pair = builder.CreateAtomicCmpXchg(place, builder.CreateZExt(old, byte), builder.CreateZExt(desired, byte),
                                              align, order, failure, scope);
    found = builder.CreateTrunc(builder.CreateExtractValue(pair, 0), type);
    success = builder.CreateExtractValue(pair, 1);
    return;
  }
  Module &M = *builder.GetInsertBlock()->getModule();
  BasicBlock &entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> locals(&entry, entry.begin());
  AllocaInst *expected = locals.CreateAlloca(type), *wanted = locals.CreateAlloca(type);
  builder.CreateStore(old, expected);
  builder.CreateStore(desired, wanted);
  FunctionCallee library =
      M.getOrInsertFunction("__atomic_compare_exchange", builder.getInt1Ty(), builder.getInt64Ty(), builder.getPtrTy(),
                            builder.getPtrTy(), builder.getPtrTy(), builder.getInt32Ty(), builder.getInt32Ty());
  CallInst *call = builder.CreateCall(library, {builder.getInt64(M.getDataLayout().getTypeStoreSize(type)), place,
                                                expected, wanted, builder.getInt32(static_cast<int>(toCABI(order))),
                                                builder.getInt32(static_cast<int>(toCABI(failure)))});
  call->addRetAttr(Attribute::ZExt);
  if (auto *function = dyn_cast<Function>(library.getCallee())) {
    function->addFnAttr(Attribute::NoCallback); // the program has no call here, so it does not give way
    function->setDoesNotThrow();
  }
  success = call;
  found = builder.CreateLoad(type, expected);
}

static void replace(AtomicCmpXchgInst *I) {
  IRBuilder<> builder(I);
  Value *success, *found;
  compareAndExchange(builder, I->getPointerOperand(), I->getCompareOperand(), I->getNewValOperand(), I->getAlign(),
                     I->getMergedOrdering(), I->getSyncScopeID(), success, found, I);
  Value *pair = builder.CreateInsertValue(PoisonValue::get(I->getType()), found, 0);
  I->replaceAllUsesWith(builder.CreateInsertValue(pair, success, 1));
  I->eraseFromParent();
}

// Makes the atomic instructions valid that have no valid size. True if there were any.
static bool repairAtomics(Function &F) {
  SmallVector<Instruction *> found;
  for (Instruction &I : instructions(F))
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&I);
        exchange && hasNoAtomicSize(exchange->getCompareOperand()->getType()))
      found.push_back(&I);
    else if (isa<AtomicRMWInst>(I) && hasNoAtomicSize(I.getType()))
      found.push_back(&I);
  for (Instruction *I : found)
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(I))
      replace(exchange);
    else
      expandAtomicRMWToCmpXchg(cast<AtomicRMWInst>(I), compareAndExchange);
  return !found.empty();
}

// ---- structures in the words of a call ----

static bool isSwift(CallingConv::ID convention) {
  return convention == CallingConv::Swift || convention == CallingConv::SwiftTail;
}

// True if a value that is stored has come into this function as a word of a structure.
static bool cameAsWord(const Value *word) {
  if (auto *argument = dyn_cast<Argument>(word))
    return isSwift(argument->getParent()->getCallingConv());
  if (auto *part = dyn_cast<ExtractValueInst>(word))
    word = part->getAggregateOperand();
  auto *call = dyn_cast<CallBase>(word);
  return call && isSwift(call->getCallingConv());
}

// True if a value that is loaded leaves this function as a word of a structure.
static bool goesAsWord(const LoadInst &word) {
  return any_of(word.users(), [&](const User *user) {
    if (auto *call = dyn_cast<CallBase>(user))
      return isSwift(call->getCallingConv());
    return (isa<ReturnInst>(user) || isa<InsertValueInst>(user)) && isSwift(word.getFunction()->getCallingConv());
  });
}

// How many bytes there are at an address; 0 if that is not known.
static uint64_t sizeAt(const Value &address, const DataLayout &layout) {
  std::optional<TypeSize> size;
  if (auto *local = dyn_cast<AllocaInst>(&address))
    size = local->getAllocationSize(layout);
  else if (auto *argument = dyn_cast<Argument>(&address)) {
    Type *type = argument->hasByValAttr() ? argument->getParamByValType() : argument->getParamStructRetType();
    if (type)
      size = layout.getTypeAllocSize(type);
  }
  return size && !size->isScalable() ? size->getFixedValue() : 0;
}

// Stores or loads those bytes of a word that are there.
static void shorten(Instruction &access, uint64_t bytes) {
  IRBuilder<> builder(&access);
  Type *part = builder.getIntNTy(8 * bytes);
  if (auto *store = dyn_cast<StoreInst>(&access)) {
    store->setOperand(0, builder.CreateTrunc(store->getValueOperand(), part));
    return;
  }
  auto *load = cast<LoadInst>(&access);
  Value *word = builder.CreateZExt(
      builder.CreateAlignedLoad(part, load->getPointerOperand(), load->getAlign(), load->isVolatile()),
      load->getType());
  load->replaceAllUsesWith(word);
  load->eraseFromParent();
}

// Shortens the words that begin within the `size` bytes at an address and end behind them. True if there were any.
static bool shortenWords(Value &start, uint64_t size, const DataLayout &layout) {
  SmallVector<std::pair<Instruction *, uint64_t>> found;
  SmallVector<std::pair<Value *, uint64_t>> addresses = {{&start, 0}};
  while (!addresses.empty()) {
    auto [address, at] = addresses.pop_back_val();
    for (User *user : address->users()) {
      auto *load = dyn_cast<LoadInst>(user);
      auto *store = dyn_cast<StoreInst>(user);
      if (auto *element = dyn_cast<GetElementPtrInst>(user)) {
        APInt offset(layout.getIndexTypeSizeInBits(element->getType()), at);
        if (element->accumulateConstantOffset(layout, offset) && offset.ult(size))
          addresses.push_back({element, offset.getZExtValue()});
      } else if (load ? goesAsWord(*load)
                      : store && store->getPointerOperand() == address && cameAsWord(store->getValueOperand())) {
        Type *type = load ? load->getType() : store->getValueOperand()->getType();
        if (type->isIntegerTy() && at + layout.getTypeStoreSize(type) > size)
          found.push_back({cast<Instruction>(user), size - at});
      }
    }
  }
  for (auto [access, bytes] : found)
    shorten(*access, bytes);
  return !found.empty();
}

static bool shortenWords(Function &F) {
  const DataLayout &layout = F.getDataLayout();
  SmallVector<Value *> starts;
  for (Argument &argument : F.args())
    starts.push_back(&argument);
  for (Instruction &I : instructions(F))
    if (isa<AllocaInst>(I))
      starts.push_back(&I);
  bool changed = false;
  for (Value *start : starts)
    if (const uint64_t size = sizeAt(*start, layout))
      changed |= shortenWords(*start, size, layout);
  return changed;
}

// ---- results of asm goto ----

// Takes from memory what goes into the registers of the results.
static void reloadGivenResults(CallBrInst &code) {
  unsigned argument = 0;
  for (const InlineAsm::ConstraintInfo &one : cast<InlineAsm>(code.getCalledOperand())->ParseConstraints()) {
    if (!one.hasArg())
      continue;
    Use &given = code.getArgOperandUse(argument++);
    if (one.Type != InlineAsm::isInput || one.Codes.empty() || !isDigit(one.Codes.front().front()))
      continue;
    BasicBlock &entry = code.getFunction()->getEntryBlock();
    IRBuilder<> locals(&entry, entry.begin()), before(&code);
    AllocaInst *place = locals.CreateAlloca(given->getType());
    before.CreateStore(given, place);
    given.set(before.CreateLoad(given->getType(), place, /*isVolatile=*/true));
  }
}

// True if there were any that are used behind a label.
static bool storeResultsOfAsmGoto(Function &F) {
  SmallVector<CallBrInst *> found;
  for (BasicBlock &BB : F)
    if (auto *code = dyn_cast<CallBrInst>(BB.getTerminator()); code && !code->use_empty())
      found.push_back(code);
  if (found.empty())
    return false;
  const DominatorTree dominators(F);
  erase_if(found, [&](const CallBrInst *code) {
    const BasicBlockEdge fallsThrough(code->getParent(), code->getDefaultDest());
    return fallsThrough.isSingleEdge() &&
           all_of(code->uses(), [&](const Use &use) { return dominators.dominates(fallsThrough, use); });
  });
  for (CallBrInst *code : found) {
    for (unsigned i = 0; i < code->getNumSuccessors(); ++i)
      SplitCriticalEdge(code, i, CriticalEdgeSplittingOptions().setMergeIdenticalEdges());
    reloadGivenResults(*code);
    DemoteRegToStack(*code, /*VolatileLoads=*/true);
  }
  return !found.empty();
}

PreservedAnalyses RepairPass::run(Module &M, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &F : M) {
    changed |= repairAtomics(F);
    changed |= shortenWords(F);
    changed |= storeResultsOfAsmGoto(F);
    for (Instruction &I : instructions(F))
      if (auto *insert = dyn_cast<InsertElementInst>(&I); insert && insertsWiderThanBit(*insert)) {
        insert->setOperand(1, IRBuilder<>(insert).CreateTrunc(insert->getOperand(1), Type::getInt1Ty(M.getContext())));
        changed = true;
      }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
