// Pass `duplicate`: the interruptible version of each function that can suspend.
//
//   takes   the module as clang made it, after `outline`; markers __charcoal_yield, __charcoal_atomic_…
//   leaves  beside each such f a clone f.int (attribute "charcoal-version-of"), still of f's type, whose calls go to
//           interruptible versions (attribute "charcoal-suspends") except in atomic regions; yield points as calls of
//           charcoal.yield; main renamed, so that the program begins in the runtime
//
//     define i32 @f(i32 %x) {            define i32 @f.int(i32 %x) "charcoal-version-of"="f" {
//       %a = call i32 @g(i32 %x)           call void @charcoal.yield()
//       %b = call i32 %p(i32 %a)           %a = call i32 @g.int(i32 %x) "charcoal-suspends"
//       ret i32 %b                         %q = call ptr @charcoal.version_of(ptr %p, ptr @adapter)
//     }                                    %b = call i32 %q(i32 %a) "charcoal-suspends"
//                                          ret i32 %b
//                                        }
//
// The pass runs at the start of the pipeline. Calls in atomic regions and in plain versions stay plain calls, and the
// optimiser treats them as in C. Yield points are from here on calls of unknown functions, so that no global variable
// stays in a register across one.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-duplicate
#include "duplicate.h"
#include "abi.h"
#include "anchor.h"
#include "async.h"
#include "atomic.h"
#include "cycles.h"
#include "glue.h"
#include "suspension_markers.h"
#include "options.h"
#include "suspension.h"
#include "variadic.h"
#include "versions.h"
#include "waiting.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace charcoal {

namespace {

class Duplicator {
public:
  explicit Duplicator(Module &M) : M(M), abi(M), glue(abi), suspension(M), O(options()) {}
  void run();

private:
  void readReplacedNames();
  Function *clone(Function &);
  void cloneLabelTables(Function &from, Function &to, ValueToValueMapTy &);
  void rewriteCalls(Function &version);
  void makeSuspending(CallInst &, CallKind);
  void makeVariadic(CallInst &, CallKind);
  void markSuspending(CallInst &, bool unprototyped);
  void insertYields(Function &version);
  void insertYieldsInCycles(Function &version);
  void lowerExplicitYields();
  Function *callerOf(Function &plain);
  void versionsOfAliases();
  void versionsForPointers();
  void versionsInPlaceOfReplacements();
  void bindActivities();
  void keepAsyncWhereItSuspends();
  void renameMain();
  CallInst *yieldBefore(Instruction *, bool always);

  Module &M;
  Abi abi;
  Glue glue;
  Suspension suspension;
  const Options &O;
  MapVector<Function *, Function *> versions;
  DenseMap<const Function *, AllocaInst *> variableArguments; // of each interruptible version, if any
  DenseMap<const Function *, std::string> replacedName;       // "charcoal.replaces=name" annotations
};

} // namespace

// __attribute__((annotate("charcoal.replaces=read"))): the interruptible version is called read.int.
void Duplicator::readReplacedNames() {
  GlobalVariable *all = M.getGlobalVariable("llvm.global.annotations");
  auto *entries = all ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
  if (!entries)
    return;
  for (Value *entry : entries->operands()) {
    auto *fields = cast<ConstantStruct>(entry);
    auto *F = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
    auto *text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    auto *data = text ? dyn_cast<ConstantDataArray>(text->getInitializer()) : nullptr;
    if (!F || !data || !data->isCString())
      continue;
    StringRef name = data->getAsCString();
    if (name.consume_front("charcoal.replaces="))
      replacedName[F] = name.str();
  }
}

// Attributes that are wrong for parameters of an interruptible version. On x86-64 the address for a result is passed as
// any pointer is; other calling conventions need the attribute.
static SmallVector<Attribute::AttrKind, 3> droppedOfParameters(const Module &M) {
  if (Triple(M.getTargetTriple()).getArch() == Triple::x86_64)
    return {Attribute::NoAlias, Attribute::Returned, Attribute::StructRet};
  return {Attribute::NoAlias, Attribute::Returned};
}

Function *Duplicator::clone(Function &F) {
  ValueToValueMapTy map;
  Function *G;
  if (F.isVarArg()) {
    G = Function::Create(variadicVersionType(*F.getFunctionType()), F.getLinkage(), "", M);
    for (Argument &A : F.args())
      map[&A] = G->getArg(A.getArgNo());
    SmallVector<ReturnInst *> returns;
    CloneFunctionInto(G, &F, map, CloneFunctionChangeType::LocalChangesOnly, returns);
    lowerVaStart(*G);
  } else {
    G = CloneFunction(&F, map);
  }
  auto named = replacedName.find(&F);
  const StringRef name = named == replacedName.end() ? F.getName() : StringRef(named->second);
  G->setName(versionName(name, F.isVarArg()));
  if (named != replacedName.end()) {
    G->setLinkage(GlobalValue::ExternalLinkage);
    G->setVisibility(GlobalValue::DefaultVisibility);
    G->setDSOLocal(false); // the plain function may have been hidden
    G->addFnAttr(NamedAttr);
  }
  // Another module defines this function, too, and its definition is the one that is linked. That module may lack an
  // interruptible version, so this one is kept, but for this module alone: it may be compiled for another processor.
  if (F.hasAvailableExternallyLinkage())
    G->setLinkage(GlobalValue::InternalLinkage);
  G->setComdat(nullptr);
  if (F.hasComdat()) {
    Comdat *group = M.getOrInsertComdat(G->getName());
    group->setSelectionKind(F.getComdat()->getSelectionKind());
    G->setComdat(group);
  }
  G->addFnAttr(VersionAttr, name);
  for (StringRef kind : {AtomicAttr, ActivityAttr})
    G->removeFnAttr(kind);
  // These attributes hold for the plain version, but not for one that may give way in the middle.
  for (Attribute::AttrKind kind :
       {Attribute::NoReturn, Attribute::WillReturn, Attribute::Memory, Attribute::NoSync, Attribute::NoFree,
        Attribute::NoRecurse, Attribute::NoCallback, Attribute::MustProgress, Attribute::Speculatable})
    G->removeFnAttr(kind);
  for (Argument &A : G->args())
    for (Attribute::AttrKind kind : droppedOfParameters(M))
      A.removeAttr(kind);
  G->removeRetAttr(Attribute::NoAlias);
  if (G->hasPrefixData())
    G->setPrefixData(nullptr);
  if (G->hasPrologueData())
    G->setPrologueData(nullptr);
  G->eraseMetadata(LLVMContext::MD_func_sanitize);
  G->eraseMetadata(LLVMContext::MD_kcfi_type);
  G->eraseMetadata(LLVMContext::MD_type);
  cloneLabelTables(F, *G, map);
  return G;
}

// Static tables of label addresses, as for computed goto, and of addresses of such tables: the clone gets tables of its
// own labels. No other function uses them (labels.h).
void Duplicator::cloneLabelTables(Function &from, Function &to, ValueToValueMapTy &map) {
  ValueToValueMapTy tableMap;
  SmallVector<User *> work;
  for (BasicBlock &BB : from)
    if (BlockAddress *address = BB.hasAddressTaken() ? BlockAddress::lookup(&BB) : nullptr) {
      tableMap[address] = BlockAddress::get(&to, cast<BasicBlock>(map[&BB]));
      work.append(address->user_begin(), address->user_end());
    }
  SetVector<GlobalVariable *> tables;
  SmallPtrSet<const User *, 16> seen;
  while (!work.empty()) {
    User *U = work.pop_back_val();
    if (!isa<Constant>(U) || U->getName().starts_with("llvm.") || !seen.insert(U).second)
      continue;
    if (auto *G = dyn_cast<GlobalVariable>(U))
      tables.insert(G);
    work.append(U->user_begin(), U->user_end());
  }
  if (tables.empty())
    return;
  for (GlobalVariable *G : tables) { // first all of them, because they may lead to each other in a circle
    auto *copy = new GlobalVariable(M, G->getValueType(), G->isConstant(), GlobalValue::InternalLinkage, nullptr,
                                    G->getName() + VersionSuffix);
    copy->copyAttributesFrom(G);
    tableMap[G] = copy;
  }
  for (GlobalVariable *G : tables)
    cast<GlobalVariable>(tableMap[G])->setInitializer(MapValue(G->getInitializer(), tableMap));
  for (Instruction &I : instructions(to))
    RemapInstruction(&I, tableMap, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
}

CallInst *Duplicator::yieldBefore(Instruction *at, bool always) {
  IRBuilder<> B(at);
  CallInst *call = B.CreateCall(markerFunction(M, always ? PauseName : YieldName));
  call->setDoesNotThrow();
  if (!call->getDebugLoc())
    if (DISubprogram *place = at->getFunction()->getSubprogram())
      call->setDebugLoc(DILocation::get(M.getContext(), place->getScopeLine(), 0, place));
  return call;
}

void Duplicator::makeSuspending(CallInst &CB, CallKind kind) {
  FunctionType *type = CB.getFunctionType();
  bool unprototyped = type->isVarArg();
  if (unprototyped) {
    SmallVector<Type *> params;
    for (Value *argument : CB.args())
      params.push_back(argument->getType());
    type = FunctionType::get(type->getReturnType(), params, false);
    CB.mutateFunctionType(type);
  }
  Value *callee = CB.getCalledOperand();
  if (auto *alias = dyn_cast<GlobalAlias>(callee); alias && kind == CallKind::Direct)
    callee = const_cast<GlobalObject *>(alias->getAliaseeObject());
  switch (kind) {
  case CallKind::Direct:
    CB.setCalledOperand(versions[cast<Function>(callee)]);
    break;
  case CallKind::External: {
    auto *plain = cast<Function>(callee);
    CB.setCalledOperand(externalVersion(*plain, type, /*isVariadic=*/false));
    break;
  }
  case CallKind::Lookup: {
    markSuspending(CB, unprototyped);
    IRBuilder<> B(&CB);
    Function *adapter = glue.adapter(Signature::of(CB));
    CB.setCalledOperand(B.CreateCall(markerFunction(M, VersionOfName), {callee, adapter}));
    return;
  }
  default:
    llvm_unreachable("stays plain, or is variadic");
  }
  markSuspending(CB, unprototyped);
}

void Duplicator::markSuspending(CallInst &CB, bool unprototyped) {
  AttributeList old = CB.getAttributes();
  AttrBuilder none(M.getContext());
  SmallVector<AttributeSet> params;
  for (unsigned i = 0; i < CB.arg_size(); ++i) {
    AttributeSet set = old.getParamAttrs(i);
    if (set.hasAttribute(Attribute::StructRet)) // after the return only the caller knows the object
      set = set.addAttributes(M.getContext(), AttributeSet::get(M.getContext(), {noCapture(M.getContext())}));
    for (Attribute::AttrKind drop : droppedOfParameters(M))
      set = set.removeAttribute(M.getContext(), drop);
    params.push_back(set);
  }
  AttributeSet result = old.getRetAttrs().removeAttribute(M.getContext(), Attribute::NoAlias);
  AttributeSet function = AttributeSet().addAttribute(M.getContext(), SuspendsAttr, unprototyped ? "unprototyped" : "");
  if (old.hasFnAttr(Attribute::NoUnwind))
    function = function.addAttribute(M.getContext(), Attribute::NoUnwind);
  CB.setAttributes(AttributeList::get(M.getContext(), function, result, params));
}

void Duplicator::rewriteCalls(Function &version) {
  SmallVector<std::pair<CallInst *, CallKind>> variadic;
  AtomicDepth depth(version);
  for (BasicBlock &BB : make_early_inc_range(version))
    depth.walk(BB, [&](Instruction &I, unsigned level) {
      auto *CB = dyn_cast<CallInst>(&I);
      if (!CB || level || !isRealCall(I))
        return;
      CallKind kind = suspension.classify(*CB);
      if (O.stress) {
        yieldBefore(CB, true);
        if (!CB->isMustTailCall() && !CB->isTerminator())
          yieldBefore(CB->getNextNode(), true)->setDebugLoc(CB->getDebugLoc());
      } else if (kind == CallKind::PlainYield && O.yields != Yields::None) {
        yieldBefore(CB, false);
      }
      if (kind == CallKind::Variadic || kind == CallKind::ExternalVariadic)
        variadic.push_back({CB, kind});
      else if (kind != CallKind::Plain && kind != CallKind::PlainYield)
        makeSuspending(*CB, kind);
    });
  for (auto &[CB, kind] : reverse(variadic)) // each block is split from its end, so that few instructions are moved
    makeVariadic(*CB, kind);
}

// One block for variable arguments serves all such calls of a function, because each has returned before the next
// begins.
void Duplicator::makeVariadic(CallInst &CB, CallKind kind) {
  Function &F = *CB.getFunction();
  Align align(16);
  uint64_t bytes = variableArgumentBytes(CB, align);
  AllocaInst *&area = variableArguments[&F];
  if (!area) {
    IRBuilder<> top(&*F.getEntryBlock().getFirstNonPHIIt());
    area = top.CreateAlloca(ArrayType::get(abi.I8, bytes), nullptr, "variable_arguments");
    area->setAlignment(align);
  }
  area->setAlignment(std::max(area->getAlign(), align));
  if (area->getAllocatedType()->getArrayNumElements() < bytes)
    area->setAllocatedType(ArrayType::get(abi.I8, bytes));

  auto *plain = cast<Function>(CB.getCalledOperand());
  FunctionType *type = variadicVersionType(*CB.getFunctionType());
  auto callVersion = [&](Function *version, Instruction *at) {
    storeVariableArguments(CB, area, at);
    SmallVector<Value *> arguments(CB.arg_begin(), CB.arg_begin() + (type->getNumParams() - 1));
    SmallVector<AttributeSet> sets;
    for (unsigned i = 0; i < arguments.size(); ++i)
      sets.push_back(CB.getAttributes().getParamAttrs(i));
    arguments.push_back(area);
    sets.push_back(AttributeSet::get(M.getContext(), {noCapture(M.getContext())}));
    IRBuilder<> B(at);
    CallInst *call = B.CreateCall(type, version, arguments);
    call->setDebugLoc(CB.getDebugLoc());
    call->setAttributes(
        AttributeList::get(M.getContext(), CB.getAttributes().getFnAttrs(), CB.getAttributes().getRetAttrs(), sets));
    markSuspending(*call, false);
    return call;
  };
  // The inliner is told the cost of the call in plain C, where there are no stores and no comparison.
  const int instruction = InlineConstants::getInstrCost(), penalty = 25;
  const int stores = instruction * int(CB.arg_size() - CB.getFunctionType()->getNumParams() + 1);
  auto setInlineCost = [&](CallInst &call, int cost) {
    call.addFnAttr(Attribute::get(M.getContext(), "call-inline-cost", std::to_string(cost)));
  };
  if (kind == CallKind::Variadic) {
    CallInst *call = callVersion(versions[plain], &CB);
    setInlineCost(*call, penalty + instruction * int(CB.arg_size() + 1) - stores);
    CB.replaceAllUsesWith(call);
    CB.eraseFromParent();
    return;
  }
  Function *version = externalVersion(*plain, type, /*isVariadic=*/true);
  version->setLinkage(GlobalValue::ExternalWeakLinkage); // otherwise the comparison with null would be folded
  version->setDSOLocal(false);
  Instruction *known, *otherwise;
  SplitBlockAndInsertIfThenElse(IRBuilder<>(&CB).CreateIsNotNull(version), CB.getIterator(), &known, &otherwise);
  BasicBlock *join = CB.getParent();
  CallInst *interruptible = callVersion(version, known);
  setInlineCost(*interruptible, -stores - 2 * instruction);
  CB.moveBefore(*otherwise->getParent(), otherwise->getIterator());
  if (!O.stress && O.yields != Yields::None)
    yieldBefore(&CB, false);
  if (!CB.getType()->isVoidTy()) {
    PHINode *result = PHINode::Create(CB.getType(), 2, "", join->begin());
    CB.replaceAllUsesWith(result);
    result->addIncoming(interruptible, known->getParent());
    result->addIncoming(&CB, otherwise->getParent());
  }
}

void Duplicator::insertYields(Function &version) {
  if (O.yields == Yields::None && !O.stress)
    return;
  BasicBlock::iterator start = version.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  yieldBefore(&*start, O.stress);
  insertYieldsInCycles(version);
}

// Calls `cut` for every cycle that the blocks form, with its first block in the order. The result says whether only
// cycles that lead around this block remain to be cut; otherwise none of these blocks' cycles remain.
//
// Every cycle lies in a strongly connected part of the graph. All cycles that remain lie in the part without its first
// block. So loops that stand side by side, or are nested a few levels deep, take time in proportion to their size.
static void cutCycles(SmallVector<BasicBlock *> blocks, const DenseMap<const BasicBlock *, unsigned> &order,
                      function_ref<bool(ArrayRef<BasicBlock *>, BasicBlock *)> cut) {
  std::vector<SmallVector<BasicBlock *>> work{std::move(blocks)};
  while (!work.empty()) {
    const SmallVector<BasicBlock *> part = std::move(work.back());
    work.pop_back();
    for (SmallVector<BasicBlock *> &cycle : cyclesAmong(part)) {
      BasicBlock *header =
          *min_element(cycle, [&](BasicBlock *A, BasicBlock *B) { return order.lookup(A) < order.lookup(B); });
      if (!cut(cycle, header))
        continue;
      llvm::erase(cycle, header);
      if (!cycle.empty())
        work.push_back(std::move(cycle));
    }
  }
}

static bool isUnknownCall(const Instruction &I) { return isSuspendingCall(I) && !isCheck(I); }
static bool hasUnknownCall(const BasicBlock *BB) { return any_of(*BB, isUnknownCall); }

// Gives a yield point to every cycle of the control-flow graph that makes calls, or only waits for another activity,
// and has none yet (with Yields::Loops: to every cycle). A call of a function that surely checks at its entry counts as
// a yield point.
void Duplicator::insertYieldsInCycles(Function &version) {
  AtomicDepth depth(version);
  ReversePostOrderTraversal<Function *> blocks(&version);
  DenseMap<const BasicBlock *, unsigned> order;
  SmallVector<BasicBlock *> without; // blocks that have no yield point, and may have one
  for (BasicBlock *BB : blocks) {
    order[BB] = order.size();
    if (!depth.entering(*BB) && none_of(*BB, isCheck))
      without.push_back(BB);
  }
  auto yieldAt = [&](BasicBlock *BB) { yieldBefore(&*BB->getFirstNonPHIOrDbgOrAlloca(), O.stress); };

  // First the cycles that make no suspending calls.
  SmallVector<BasicBlock *> plain;
  copy_if(without, std::back_inserter(plain), [](BasicBlock *BB) { return none_of(*BB, isSuspendingCall); });
  cutCycles(std::move(plain), order, [&](ArrayRef<BasicBlock *> cycle, BasicBlock *header) {
    if (O.yields != Yields::Loops &&
        none_of(cycle, [](const BasicBlock *BB) { return any_of(*BB, needsYieldInCycle); }))
      return false;
    const SmallVector<const BasicBlock *> all(cycle.begin(), cycle.end());
    if (O.yields == Yields::Loops || any_of(cycle, [](const BasicBlock *BB) { return any_of(*BB, isRealCall); }) ||
        onlyWaits(all))
      yieldAt(header);
    return true;
  });

  // Then those that call only functions of which nobody knows whether they check. In a large loop, such as that of an
  // interpreter, few turns make such a call, so the yield points are at the calls.
  constexpr unsigned large = 16;
  erase_if(without, [](BasicBlock *BB) { return any_of(*BB, isCheck); });
  cutCycles(std::move(without), order, [&](ArrayRef<BasicBlock *> cycle, BasicBlock *header) {
    if (none_of(cycle, hasUnknownCall))
      return false;
    if (cycle.size() <= large) {
      yieldAt(header);
      return true;
    }
    for (BasicBlock *BB : cycle)
      if (auto call = find_if(*BB, isUnknownCall); call != BB->end())
        yieldBefore(&*call, O.stress);
    return false;
  });
}

// Marks a block that does nothing but give way as unlikely: in `if (now and then) yield;` it is not the usual way.
static void expectRarely(BasicBlock &BB) {
  BasicBlock *before = BB.getSinglePredecessor();
  auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || branch->hasMetadata(LLVMContext::MD_prof) ||
      branch->getSuccessor(0) == branch->getSuccessor(1) || BB.sizeWithoutDebug() > 3)
    return;
  MDBuilder weights(BB.getContext());
  branch->setMetadata(LLVMContext::MD_prof, branch->getSuccessor(0) == &BB ? weights.createUnlikelyBranchWeights()
                                                                           : weights.createLikelyBranchWeights());
}

// Lowers the statement `yield;`, which has no effect in plain versions and atomic regions.
void Duplicator::lowerExplicitYields() {
  Function *marker = M.getFunction("__charcoal_yield");
  if (!marker)
    return;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    AtomicDepth depth(F);
    for (BasicBlock &BB : F)
      depth.walk(BB, [&](Instruction &I, unsigned level) {
        if (!calls(I, "__charcoal_yield"))
          return;
        if (isInterruptible(F) && !level) {
          CallInst *yield = yieldBefore(&I, O.stress);
          yield->addFnAttr(Attribute::get(M.getContext(), ExplicitAttr));
          yield->setDebugLoc(I.getDebugLoc());
        }
        expectRarely(*I.getParent());
        I.eraseFromParent();
      });
  }
}

// The interruptible version of a function that has to have one but cannot be cloned: it calls the plain one.
Function *Duplicator::callerOf(Function &plain) {
  auto *version =
      Function::Create(plain.getFunctionType(), GlobalValue::InternalLinkage, plain.getName() + VersionSuffix, M);
  version->addFnAttr(VersionAttr, plain.getName());
  IRBuilder<> B(BasicBlock::Create(abi.C, "", version));
  SmallVector<Value *> arguments;
  for (Argument &A : version->args())
    arguments.push_back(&A);
  CallInst *call = B.CreateCall(&plain, arguments);
  call->setIsNoInline(); // inlining would make interruptible code of a function that must be plain
  for (Attribute::AttrKind extension : {Attribute::SExt, Attribute::ZExt}) {
    for (Argument &A : plain.args())
      if (A.hasAttribute(extension)) {
        version->addParamAttr(A.getArgNo(), extension);
        call->addParamAttr(A.getArgNo(), extension);
      }
    if (plain.hasRetAttribute(extension)) {
      version->addRetAttr(extension);
      call->addRetAttr(extension);
    }
  }
  if (plain.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(call);
  return version;
}

// Many programs call malloc and free through pointers. Without a version each such call would look for one in vain.
void Duplicator::versionsForPointers() {
  SmallVector<Function *> work;
  for (Function &F : M)
    if (suspension.isBoundedLibraryFunction(F) && isAddressTaken(F))
      work.push_back(&F);
  for (Function *F : work)
    (versions[F] = callerOf(*F))->addFnAttr(BoundedAttr);
}

// Other modules would call the runtime's version of a function of the C library that is defined here.
void Duplicator::versionsInPlaceOfReplacements() {
  SmallVector<Function *> work;
  for (Function &F : M)
    if (isInPlaceOfReplacement(F) && !versions.count(&F) && !F.isVarArg() && !F.isInterposable() &&
        F.getCallingConv() == CallingConv::C &&
        none_of(F.args(), [](const Argument &A) { return A.hasByValAttr() || A.hasStructRetAttr(); }))
      work.push_back(&F);
  for (Function *F : work) {
    Function *version = versions[F] = callerOf(*F);
    version->addFnAttr(BoundedAttr);
    version->setLinkage(GlobalValue::ExternalLinkage);
    version->setVisibility(F->getVisibility());
    version->setDSOLocal(F->isDSOLocal());
  }
}

// Another module calls an alias by the alias's name. If the alias is weak the name may mean another function there. So
// its version is a function of its own, which `split` guards. It has none if it is variadic (suspension.cpp).
void Duplicator::versionsOfAliases() {
  SmallVector<std::pair<GlobalAlias *, Function *>> work;
  for (GlobalAlias &alias : M.aliases())
    if (auto *F = dyn_cast<Function>(alias.getAliasee()->stripPointerCastsAndAliases());
        F && versions.count(F) && !alias.hasLocalLinkage() && !(F->isVarArg() && alias.isInterposable()))
      work.push_back({&alias, F});
  for (auto [alias, plain] : work) {
    Function *version = versions[plain];
    const std::string name = versionName(alias->getName(), plain->isVarArg());
    if (M.getNamedValue(name))
      continue;
    if (!alias->isInterposable()) {
      GlobalAlias::create(version->getValueType(), 0, alias->getLinkage(), name, version, &M)
          ->copyAttributesFrom(alias);
      continue;
    }
    auto *forward = Function::Create(version->getFunctionType(), alias->getLinkage(), name, M);
    forward->copyAttributesFrom(version);
    forward->setVisibility(alias->getVisibility());
    forward->setDSOLocal(alias->isDSOLocal());
    forward->addFnAttr(VersionAttr, alias->getName());
    IRBuilder<> B(BasicBlock::Create(abi.C, "", forward));
    SmallVector<Value *> arguments;
    for (Argument &A : forward->args())
      arguments.push_back(&A);
    CallInst *call = B.CreateCall(version, arguments);
    call->setAttributes(version->getAttributes().removeFnAttributes(abi.C));
    markSuspending(*call, false);
    if (version->getReturnType()->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(call);
  }
}

void Duplicator::bindActivities() {
  Function *spawn = M.getFunction("ch_spawn");
  if (!spawn)
    return;
  for (User *U : make_early_inc_range(spawn->users())) {
    auto *call = dyn_cast<CallBase>(U);
    auto *body = call ? dyn_cast<Function>(call->getArgOperand(1)->stripPointerCasts()) : nullptr;
    if (!body || body->isDeclaration() || isInterruptible(*body))
      continue;
    Function *&version = versions[body];
    if (!version)
      version = callerOf(*body);
    call->setArgOperand(1, version);
  }
}

// Plain code runs the body of an `async` statement as if the word were not there; so does a call that cannot suspend.
void Duplicator::keepAsyncWhereItSuspends() {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *call = dyn_cast<CallInst>(&I); call && isAsync(*call) && !isSuspendingCall(*call))
        makeOrdinary(*call);
}

// The C library calls main; main hands over to the runtime, which runs the interruptible version as first activity.
void Duplicator::renameMain() {
  Function *plain = M.getFunction("main");
  if (!plain || plain->isDeclaration())
    return;
  if (!versions.count(plain))
    versions[plain] = callerOf(*plain);
  const GlobalValue::LinkageTypes linkage = plain->getLinkage(); // if it is weak, another main may replace it
  plain->setName("main.plain");
  plain->setLinkage(GlobalValue::InternalLinkage);
  plain->setComdat(nullptr);
  Function *main = Function::Create(FunctionType::get(abi.I32, {abi.I32, abi.Ptr, abi.Ptr}, false), linkage, "main", M);
  main->copyAttributesFrom(plain);
  main->setAttributes(AttributeList().addFnAttributes(
      M.getContext(), AttrBuilder(M.getContext(), plain->getAttributes().getFnAttrs())));
  main->removeFnAttr(Attribute::AlwaysInline);
  main->removeFnAttr(Attribute::NoReturn);
  for (StringRef kind : {"instrument-function-entry", "instrument-function-exit", "instrument-function-entry-inlined",
                         "instrument-function-exit-inlined", "instrument-function-entry-bare"})
    main->removeFnAttr(kind); // main.plain has these attributes, and reports its entry and exit itself
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", main));
  CallInst *code = B.CreateCall(abi.main(), {versions[plain], main->getArg(0), main->getArg(1), main->getArg(2)});
  B.CreateRet(code);
  if (plain->use_empty())
    plain->eraseFromParent();
}

// A function that calls __builtin_setjmp, or setjmp through a pointer, stays plain (suspension.cpp), and must not get
// into an interruptible one by inlining. For other calls of setjmp the inliner knows this itself.
static void keepSetjmpOut(Module &M) {
  const bool throughPointer = addressOfSetjmpIsTaken(M);
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasFnAttribute(Attribute::AlwaysInline) &&
        ((throughPointer && callsThroughPointer(F)) || any_of(instructions(F), [](const Instruction &I) {
           auto *II = dyn_cast<IntrinsicInst>(&I);
           return II && II->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp;
         })))
      F.addFnAttr(Attribute::NoInline);
}

// The same holds for functions with values that cannot be saved, and for those that move the stack. If such a function
// is always inlined, its callers stay plain.
static void keepOut(const DenseSet<const Function *> &functions) {
  for (const Function *F : functions)
    if (!F->hasFnAttribute(Attribute::AlwaysInline))
      const_cast<Function *>(F)->addFnAttr(Attribute::NoInline);
}

void Duplicator::run() {
  readReplacedNames();
  keepSetjmpOut(M);
  keepOut(functionsWithUnsavableValues(M));
  keepOut(functionsThatMoveTheStack(M));
  for (Function *F : suspension.versions())
    versions[F] = clone(*F);
  // The markers of atomic regions are still there, because the following steps need them; `atomic` removes them.
  for (auto &[plain, version] : versions)
    rewriteCalls(*version);
  for (auto &[plain, version] : versions)
    if (plain->callsFunctionThatReturnsTwice())
      addAnchor(abi, *version);
  for (auto &[plain, version] : versions)
    if (suspension.isBounded(*plain) && !O.stress)
      version->addFnAttr(BoundedAttr);
    else
      insertYields(*version);
  keepAsyncWhereItSuspends();
  lowerExplicitYields();
  versionsOfAliases();
  versionsForPointers();
  versionsInPlaceOfReplacements();
  bindActivities();
  renameMain();
}

PreservedAnalyses DuplicatePass::run(Module &M, ModuleAnalysisManager &) {
  Duplicator(M).run();
  return PreservedAnalyses::none();
}

} // namespace charcoal
