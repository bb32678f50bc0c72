// See suspension.h. A function gets an interruptible version if it can suspend and if it can be cloned.
//
// It can suspend (law 1) if some path makes an unbounded number of calls, or meets an operation that may block:
//   - it calls a function of another module that may block, or calls through a pointer;
//   - it is recursive, directly or not;
//   - it calls in a loop, or waits in a loop for somebody to change memory (a spin lock);
//   - it calls a function that can suspend.
// Every other function makes a bounded number of calls of bounded functions: it needs no yield point and no second
// version, and its callers need no test. Nothing else saves as much code. A small function of this kind that is called
// through pointers or from other modules has a second version all the same, for these calls alone.
#include "suspension.h"
#include "anchor.h"
#include "async.h"
#include "atomic.h"
#include "charcoal_abi.h"
#include "labels.h"
#include "library.h"
#include "suspension_markers.h"
#include "options.h"
#include "versions.h"
#include "variadic.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/Regex.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"

using namespace llvm;

namespace charcoal {

// Whether the assembly gives a name to a place or a macro, which two copies of the text would do twice. Numeric local
// labels, %= and macros that are purged at the end are no problem. Operands may be parts of names: "end_${0:c}:".
static bool definesName(const Instruction &I) {
  auto *CB = dyn_cast<CallBase>(&I);
  auto *code = CB ? dyn_cast<InlineAsm>(CB->getCalledOperand()) : nullptr;
  if (!code)
    return false;
  static const std::string start = "(^|[;\n\t ])", operand = "\\$[0-9]|\\$\\{[0-9]+(:[A-Za-z])?\\}",
                           name = "([A-Za-z_.@?]|\\$\\$|" + operand + ")([A-Za-z0-9_.$@?]|" + operand + ")*";
  static const Regex label(start + "(" + name + "|\"[^\"\n]*\")[\t ]*:");
  static const Regex place(start + "(" + name + "[\t ]*=|\\.(set|equ)[\t ][^,;\n]*,)" + // x = . or .set x, 1b
                           "([^;\n]*[^A-Za-z0-9_.$;\n])?(\\.|[0-9]+[bf])([^A-Za-z0-9_.$]|$)");
  static const Regex once(start + "\\.(equiv|local|lcomm|macro|weakref|cfi_label)[\t ]"); // .local comes before .comm
  StringRef text = code->getAsmString();
  return !text.contains("${:uid}") && !text.contains(".purgem") &&
         (label.match(text) || place.match(text) || once.match(text));
}

// Whether the assembly reads or changes the stack pointer, by its text or by a register variable.
static bool usesStackPointer(const InlineAsm &code) {
  static const Regex name("(^|[^A-Za-z0-9_.])(rsp|esp|sp|wsp)([^A-Za-z0-9_.]|$)");
  return name.match(code.getAsmString()) || name.match(code.getConstraintString());
}

// Whether it moves this call's frame to another place or stack, or may do so. Then what is suspended afterwards would
// not return to the scheduler.
static bool movesStack(const Instruction &I) {
  auto *CB = dyn_cast<CallBase>(&I);
  if (!CB)
    return false;
  if (auto *code = dyn_cast<InlineAsm>(CB->getCalledOperand()))
    return usesStackPointer(*code);
  switch (CB->getIntrinsicID()) {
  case Intrinsic::eh_return_i32:
  case Intrinsic::eh_return_i64:
  case Intrinsic::eh_unwind_init:
  case Intrinsic::write_register:
  case Intrinsic::x86_incsspd:
  case Intrinsic::x86_incsspq:
  case Intrinsic::x86_rstorssp:
  case Intrinsic::x86_saveprevssp:
  case Intrinsic::aarch64_gcspopm:
  case Intrinsic::aarch64_gcsss:
    return true;
  default:
    return false;
  }
}

static bool fitsRegisters(Type *T, const DataLayout &DL) {
  return T->isVoidTy() ||
         (T->isSized() && !T->isScalableTy() && DL.getTypeStoreSize(T).getFixedValue() <= CH_RESULT_BYTES);
}

// Whether a function, or a call, is about the streaming mode or the matrix registers of AArch64's SME, which are no
// part of a frame. clang says so by attributes of these names.
static bool usesMatrixState(AttributeSet attributes) {
  return any_of(attributes,
                [](Attribute A) { return A.isStringAttribute() && A.getKindAsString().starts_with("aarch64_"); });
}

// In code that saves arguments the code generator takes time that grows with the square of their number.
static constexpr unsigned MostParameters = 500;

// -finstrument-functions: where a function was called from, for its reports alone.
static bool isReport(StringRef name) { return name.starts_with("__cyg_profile_func_"); }
static bool onlyReported(const CallBase &address) {
  return all_of(address.users(), [](const User *U) {
    auto *CB = dyn_cast<CallBase>(U);
    auto *callee = CB ? CB->getCalledFunction() : nullptr;
    return callee && isReport(callee->getName());
  });
}

// Definitions of the functions by which the runtime gets memory, be it for a frame. If one of them could be suspended,
// the runtime would call an allocator that stands in the middle of its work, and wait for the lock that it holds.
static DenseSet<const Function *> functionsThatAllocateForTheRuntime(const Module &M) {
  DenseSet<const Function *> found;
  auto look = [&](const GlobalValue &named) {
    auto *F = dyn_cast_or_null<Function>(named.getAliaseeObject());
    if (F && !F->isDeclaration() && !named.hasLocalLinkage() &&
        is_contained({"malloc", "free", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc",
                      "posix_memalign", "valloc", "pvalloc"},
                     named.getName()))
      found.insert(F);
  };
  for (const Function &F : M)
    look(F);
  for (const GlobalAlias &A : M.aliases())
    look(A);
  return found;
}

// Functions that code of C++ calls without naming them and that always return soon: operators new and delete, and what
// registers destructors for the end of the program or of a thread, and what throws and catches exceptions.
static bool isOfLanguageCPlusPlus(StringRef name) {
  return any_of(ArrayRef<StringRef>{"_Znw",
                                    "_Zna",
                                    "_Zdl",
                                    "_Zda",
                                    "_ZSt9terminatev",
                                    "__cxa_atexit",
                                    "__cxa_thread_atexit",
                                    "__cxa_allocate_exception",
                                    "__cxa_free_exception",
                                    "__cxa_throw",
                                    "__cxa_rethrow",
                                    "__cxa_begin_catch",
                                    "__cxa_end_catch",
                                    "__cxa_get_exception_ptr",
                                    "__cxa_init_primary_exception",
                                    "__cxa_bad_cast",
                                    "__cxa_bad_typeid",
                                    "__cxa_call_unexpected",
                                    "__clang_call_terminate",
                                    "__dynamic_cast"},
                [&](StringRef prefix) { return name.starts_with(prefix); });
}

// Whether the function handles exceptions, and whether it does so as `split` knows.
static bool handlesExceptions(const Function &F) {
  return F.hasPersonalityFn() &&
         any_of(instructions(F), [](const Instruction &I) { return isa<InvokeInst>(I) || I.isEHPad(); });
}
static bool handlesThemAsCPlusPlus(const Function &F) {
  return F.getPersonalityFn()->stripPointerCasts()->getName() == "__gxx_personality_v0";
}

const char *Suspension::whyPlain(Function &F) const {
  if (F.isVarArg() && !supportsVariadicVersions(M))
    return "it takes a variable number of arguments";
  // If the linker chose another definition, the version's guard could not hand on to that what it has in a block.
  if (F.isVarArg() && F.isInterposable())
    return "it is weak and takes a variable number of arguments";
  if (isChosenElsewhere(F))
    return "its definition is that of another module";
  if (F.hasFnAttribute(Attribute::Naked))
    return "it is naked";
  if (F.hasFnAttribute("interrupt"))
    return "it is an interrupt handler";
  if (F.getName().starts_with("__cfi_check")) // of -fsanitize-cfi-cross-dso; the linker writes it anew
    return "it is a part of control flow integrity";
  if (any_of(F.users(), [](const User *U) { return isa<GlobalIFunc>(U); }))
    return "it resolves an indirect function";
  if (F.getCallingConv() != CallingConv::C && F.getCallingConv() != CallingConv::Fast)
    return "it has an unusual calling convention";
  if (usesMatrixState(F.getAttributes().getFnAttrs()))
    return "it uses streaming mode or matrix registers";
  for (StringRef kind :
       {"instrument-function-entry-inlined", "instrument-function-exit-inlined", "instrument-function-entry-bare"})
    if (F.getFnAttribute(kind).getValueAsString().starts_with("__cyg_"))
      return "it reports its entries and exits after inlining (-finstrument-functions-after-inlining)";
  if (F.isPresplitCoroutine())
    return "it is a coroutine";
  if (F.hasLocalLinkage() && F.getName().starts_with("__tls_init"))
    return "it makes the thread's variables where one is used, which is no call";
  if (!fitsRegisters(F.getReturnType(), M.getDataLayout()))
    return "its result is too large for registers";
  if (F.arg_size() > MostParameters)
    return "it takes more than 500 parameters";
  if (F.callsFunctionThatReturnsTwice() && !canBeAnchored(F))
    return "it calls a function that returns twice";
  if (setjmpHasAddress && callsThroughPointer(F))
    return "it may call setjmp through a pointer";
  if (allocating.contains(&F))
    return "the runtime gets its memory by it";
  if (isChecking(F))
    return "the optimiser replaces calls of it";
  if (lookedAt.contains(&F))
    return "a function that it calls asks where its frame is";
  if (withUnsavable.contains(&F))
    return "it has values that cannot be saved";
  if (movingStack.contains(&F))
    return "it uses the stack pointer";
  if (definingNames.contains(&F))
    return "its inline assembly defines a label or another name";
  if (handingOver.contains(&F))
    return "it hands its function to the C++ library by variables of the thread";
  for (const Argument &A : F.args())
    if (A.hasInAllocaAttr() || A.hasPreallocatedAttr() || A.hasSwiftErrorAttr() || A.hasNestAttr() ||
        A.getType()->isScalableTy())
      return "it has an unusual parameter";
  if (handlesExceptions(F)) {
    if (!exceptions || !handlesThemAsCPlusPlus(F))
      return "it handles exceptions (-fexceptions)";
    if (F.callsFunctionThatReturnsTwice())
      return "it handles exceptions and calls a function that returns twice";
  }
  if (F.getName() == "__clang_call_terminate")
    return "it ends the program";
  for (const Instruction &I : instructions(F)) {
    if (I.getType()->isTokenTy() || I.getType()->isScalableTy())
      return "it has values that cannot be saved";
    if (auto *CB = dyn_cast<CallBase>(&I)) {
      if (F.isVarArg() && CB->isMustTailCall())
        return "it hands its variable arguments on in a tail call";
      switch (CB->getIntrinsicID()) {
      case Intrinsic::returnaddress:
        if (onlyReported(*CB))
          break;
        return "it asks where its frame is";
      case Intrinsic::frameaddress:
      case Intrinsic::addressofreturnaddress:
      case Intrinsic::sponentry:
      case Intrinsic::stackaddress:
      case Intrinsic::eh_dwarf_cfa:
      case Intrinsic::localaddress:
      case Intrinsic::read_register:
      case Intrinsic::read_volatile_register:
      case Intrinsic::x86_rdsspd:
      case Intrinsic::x86_rdsspq:
        return "it asks where its frame is";
      case Intrinsic::eh_sjlj_setjmp:
      case Intrinsic::eh_sjlj_setup_dispatch:
        return "it calls __builtin_setjmp";
      case Intrinsic::localescape:
        return "its locals are used by another function";
      default:
        break;
      }
    }
  }
  if (labelsEscape(F))
    return "it keeps addresses of its labels where another call can find them";
  return nullptr;
}

// A function such as __memset_chk, which checks the size of an object (_FORTIFY_SOURCE) and always returns soon. Where
// nothing has to be checked the optimiser makes memset of it, which it does for this name alone, and late.
bool Suspension::isChecking(const Function &F) const {
  LibFunc known;
  return F.getName().starts_with("__") && F.getName().ends_with("_chk") && libraryInfo.getLibFunc(F, known);
}

// Decides about a function of another module. Functions of the C library with an interruptible version may block. Those
// that are declared `leaf` (in LLVM: nocallback) do not; the front end says which glibc means to be so. LLVM knows more
// functions that always return soon. All others may block.
bool Suspension::mayBlock(const Function &F) const {
  auto [entry, isNew] = mayBlockCache.try_emplace(&F, true);
  if (!isNew)
    return entry->second;
  for (StringRef name :
       {"ch_spawn", "ch_scope_enter", "ch_scope_deadline", "ch_scope_cancel", "ch_cancelled", "ch_captures_local_ends"})
    if (F.getName() == name)
      return entry->second = false; // generated code calls these functions of the runtime
  if (isReport(F.getName()) || isOfLanguageCPlusPlus(F.getName()))
    return entry->second = false; // and so it does these
  if (libraryReplaces(F.getName()))
    return true;
  if (F.hasFnAttribute(Attribute::NoCallback) || F.getName().starts_with("__asan_") ||
      F.getName().starts_with("__ubsan_") || F.getName().starts_with("__sanitizer_"))
    return entry->second = false;
  if (F.hasFnAttribute(Attribute::WillReturn) && F.onlyReadsMemory())
    return entry->second = false; // declared const or pure
  LibFunc known;
  if (!libraryInfo.getLibFunc(F, known))
    return true;
  if (F.isVarArg() || isChecking(F))
    return entry->second = false;
  Module scratch("scratch", F.getContext());
  scratch.setDataLayout(M.getDataLayout());
  scratch.setTargetTriple(M.getTargetTriple());
  Function *probe = Function::Create(F.getFunctionType(), GlobalValue::ExternalLinkage, F.getName(), scratch);
  inferNonMandatoryLibFuncAttrs(*probe, TargetLibraryInfo(libraryInfo));
  bool bounded = probe->hasFnAttribute(Attribute::WillReturn);
  return mayBlockCache[&F] = !bounded;
}

bool Suspension::isBoundedLibraryFunction(const Function &F) const {
  LibFunc known;
  return F.isDeclaration() && !F.isVarArg() && !F.hasFnAttribute(Attribute::ReturnsTwice) &&
         !F.hasFnAttribute(Attribute::NoReturn) && libraryInfo.getLibFunc(F, known) && !mayBlock(F);
}

// The function that is called, by its own name or by an alias; null if it is not known.
static const Function *calleeOf(const CallBase &CB) {
  const Value *operand = CB.getCalledOperand();
  if (auto *alias = dyn_cast<GlobalAlias>(operand); alias && !alias->isInterposable())
    operand = alias->getAliaseeObject();
  return dyn_cast<Function>(operand);
}

// A static chain (__builtin_call_with_static_chain) is an operand of the call, but in a register of its own that most
// callees do not read, so it is no parameter of theirs. The parameters of an interruptible version would be taken from
// the wrong operands.
static bool passesStaticChain(const CallBase &CB) { return CB.getAttributes().hasAttrSomewhere(Attribute::Nest); }

// A call through a resolver (ifunc, target_clones) whose look-up the linker could not take: LLVM 22 crashes in
// link-time optimization where the address of such a function is used other than in a call, in plain C, too.
static bool isIndirectFunctionWithLTO(const CallBase &CB) {
  return isa<GlobalIFunc>(CB.getCalledOperand()) && CB.getModule()->getModuleFlag("EnableSplitLTOUnit");
}

// Functions of the C library that see to it that destructors run, or know of exceptions, which the runtime's
// interruptible versions do not: pthread_exit unwinds the stack, and pthread_once runs its function again if an
// exception has left it.
static bool unwinds(const Function &callee) {
  return is_contained({"pthread_once", "call_once", "pthread_exit", "thrd_exit"}, callee.getName());
}

// Clang's landing pads do not depend on the way to them, so that a call may become two calls.
static bool differsByWay(const CallBase &CB) {
  auto *invoke = dyn_cast<InvokeInst>(&CB);
  return invoke && !invoke->getUnwindDest()->phis().empty();
}

CallKind Suspension::classify(const CallBase &CB) const {
  if (CB.isInlineAsm() || hasOtherBundles(CB) || CB.hasFnAttr(Attribute::ReturnsTwice))
    return CallKind::Plain;
  const Function *callee = calleeOf(CB);
  if (callee && (callee->isIntrinsic() || !isRealCall(CB)))
    return CallKind::Plain;
  if (passesStaticChain(CB) || isIndirectFunctionWithLTO(CB) || usesMatrixState(CB.getAttributes().getFnAttrs()) ||
      (callee && usesMatrixState(callee->getAttributes().getFnAttrs())))
    return CallKind::PlainYield;
  bool unusual = CB.arg_size() > MostParameters ||
                 (CB.getCallingConv() != CallingConv::C && CB.getCallingConv() != CallingConv::Fast) ||
                 !fitsRegisters(CB.getType(), M.getDataLayout());
  // A function f() without a prototype has a variadic type in LLVM, without fixed parameters.
  bool variadic = CB.getFunctionType()->isVarArg() && CB.getFunctionType()->getNumParams() > 0;
  if (!callee)
    return unusual || variadic ? CallKind::PlainYield : CallKind::Lookup;
  if (callee->hasFnAttribute(AtomicAttr))
    return CallKind::PlainYield;
  bool packed = variadic && callee->isVarArg() && callee->getFunctionType() == CB.getFunctionType() &&
                !CB.isMustTailCall() && !differsByWay(CB) && supportsVariadicVersions(M);
  if (callee->isDeclaration()) {
    if (!mayBlock(*callee))
      return CallKind::Plain;
    if (exceptions && unwinds(*callee))
      return CallKind::PlainYield;
    if (packed && !unusual)
      return CallKind::ExternalVariadic;
    return unusual || variadic ? CallKind::PlainYield : CallKind::External;
  }
  if (callee->isInterposable())
    return unusual || variadic ? CallKind::PlainYield : CallKind::Lookup;
  if (variadic != callee->isVarArg() || (variadic && !packed))
    return CallKind::PlainYield; // the call and the definition differ
  if (versionSet.contains(callee))
    return variadic ? CallKind::Variadic : CallKind::Direct;
  return refused.contains(callee) ? CallKind::PlainYield : CallKind::Plain;
}

bool Suspension::loopsOverCalls(Function &F) const {
  for (auto cycle = scc_begin(&F); !cycle.isAtEnd(); ++cycle) {
    if (!cycle.hasCycle())
      continue;
    if (options().yields == Yields::Loops)
      return true;
    for (BasicBlock *BB : *cycle)
      if (any_of(*BB, needsYieldInCycle))
        return true;
  }
  return false;
}

static bool isUnsavable(const Instruction &I) {
  if (I.getType()->isX86_AMXTy())
    return true;
  auto *CB = dyn_cast<CallBase>(&I);
  return CB &&
         (CB->getIntrinsicID() == Intrinsic::aarch64_ld64b || (CB->isInlineAsm() && CB->getType()->isIntegerTy(512)));
}

// These functions, and those that will have their instructions by inlining.
static DenseSet<const Function *> withInlined(SmallVector<const Function *> work) {
  DenseSet<const Function *> found;
  while (!work.empty()) {
    const Function *F = work.pop_back_val();
    if (found.insert(F).second && F->hasFnAttribute(Attribute::AlwaysInline))
      for (const User *U : F->users())
        if (auto *caller = dyn_cast<CallBase>(U))
          work.push_back(caller->getFunction());
  }
  return found;
}

static DenseSet<const Function *> functionsWith(const Module &M, bool (*isSuch)(const Instruction &)) {
  SmallVector<const Function *> such;
  for (const Function &F : M)
    if (any_of(instructions(F), isSuch))
      such.push_back(&F);
  return withInlined(such);
}

DenseSet<const Function *> functionsThatHandOver(const Module &M) {
  SmallVector<const Function *> such;
  if (const Function *taker = M.getFunction("__once_proxy"))
    for (const User *U : taker->users())
      if (auto *I = dyn_cast<Instruction>(U))
        such.push_back(I->getFunction());
  return withInlined(such);
}

DenseSet<const Function *> functionsWithUnsavableValues(const Module &M) { return functionsWith(M, isUnsavable); }
DenseSet<const Function *> functionsThatMoveTheStack(const Module &M) { return functionsWith(M, movesStack); }
DenseSet<const Function *> functionsThatDefineNames(const Module &M) { return functionsWith(M, definesName); }

bool addressOfSetjmpIsTaken(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.hasFnAttribute(Attribute::ReturnsTwice) && any_of(F.uses(), [](const Use &U) {
             return !isa<CallBase>(U.getUser()) || !cast<CallBase>(U.getUser())->isCallee(&U);
           });
  });
}

bool callsThroughPointer(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *CB = dyn_cast<CallBase>(&I);
    return CB && CB->isIndirectCall();
  });
}

bool mayReturnTwice(const CallBase &CB, bool setjmpHasAddress) {
  if (CB.hasFnAttr(Attribute::ReturnsTwice) || CB.getIntrinsicID() == Intrinsic::eh_sjlj_setjmp)
    return true;
  return setjmpHasAddress && CB.isIndirectCall() && !CB.isMustTailCall() && CB.getType()->isIntegerTy(32) &&
         !CB.arg_empty() && CB.getArgOperand(0)->getType()->isPointerTy();
}

// Whether this is the address of a local of the function that gives it as an argument.
static bool isAddressOfLocal(const Value *argument) {
  return argument->getType()->isPointerTy() && isa<AllocaInst>(getUnderlyingObject(argument));
}

// __builtin_return_address(n) and __builtin_frame_address(n) with n > 0 look at the frames of n callers, which are on
// the native stack, one beside the other, in plain code alone. A function that asks for its own frame's address and
// gets that of a caller's local compares both, so that local has to be on the native stack, too.
void Suspension::findLookedAt() {
  for (Function &F : M)
    if (F.getIntrinsicID() == Intrinsic::returnaddress || F.getIntrinsicID() == Intrinsic::frameaddress)
      for (User *U : F.users()) {
        auto *call = cast<CallBase>(U);
        uint64_t levels = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
        SmallSetVector<const Function *, 8> inner;
        inner.insert(call->getFunction());
        for (unsigned begin = 0; levels > 0 && begin < inner.size(); --levels) {
          const unsigned end = inner.size();
          for (; begin < end; ++begin)
            for (const User *user : inner[begin]->users())
              if (auto *caller = dyn_cast<CallBase>(user))
                inner.insert(caller->getFunction());
        }
        lookedAt.insert(inner.begin() + 1, inner.end());
        if (F.getIntrinsicID() == Intrinsic::frameaddress)
          for (const User *user : inner[0]->users())
            if (auto *caller = dyn_cast<CallBase>(user); caller && any_of(caller->args(), isAddressOfLocal))
              lookedAt.insert(caller->getFunction());
      }
}

// Another module does not know that the function is bounded, so its calls look for an interruptible version. Such a
// call takes ten instructions if there is none, and six if there is one.
static bool isWorthAVersionForModules(const Function &F, unsigned size) {
  constexpr unsigned largest = 100;
  return size <= largest && F.hasExternalLinkage() && !F.hasOptNone() && options().yields != Yields::None;
}

// A bounded function that is called through pointers, or from other modules. Without a version of its own, each such
// call would look for one in vain, and then pass through an adapter. A large one spends more time in its body than on
// that.
static bool isWorthAVersion(const Function &F) {
  constexpr unsigned largest = 500;
  const unsigned size = F.getInstructionCount();
  return !F.isDeclaration() && !F.isVarArg() && !F.isInterposable() && !F.hasFnAttribute(AtomicAttr) &&
         size <= largest && (isAddressTaken(F) || isWorthAVersionForModules(F, size));
}

bool isInPlaceOfReplacement(const Function &F) {
  return !F.isDeclaration() && !F.hasLocalLinkage() && !F.hasAvailableExternallyLinkage() &&
         libraryReplaces(F.getName());
}

Suspension::Suspension(Module &M)
    : M(M), libraryInfo(Triple(M.getTargetTriple())), setjmpHasAddress(addressOfSetjmpIsTaken(M)),
      exceptions(mayPassExceptions(M)) {
  findLookedAt();
  withUnsavable = functionsWithUnsavableValues(M);
  movingStack = functionsThatMoveTheStack(M);
  definingNames = functionsThatDefineNames(M);
  handingOver = functionsThatHandOver(M);
  allocating = functionsThatAllocateForTheRuntime(M);
  const Options &O = options();
  DenseSet<const Function *> suspends;
  DenseMap<Function *, SmallVector<const CallBase *>> callsOf;

  for (Function &F : M) {
    if (F.isDeclaration() || F.hasFnAttribute(AtomicAttr))
      continue;
    bool own = F.hasFnAttribute(ActivityAttr) || F.getName() == "main";
    AtomicDepth depth(F);
    for (BasicBlock &BB : F)
      depth.walk(BB, [&](Instruction &I, unsigned level) {
        if (level)
          return;
        own |= calls(I, "__charcoal_yield");
        if (isRealCall(I))
          callsOf[&F].push_back(cast<CallBase>(&I));
      });
    own |= O.stress && !callsOf[&F].empty();
    if (O.stress || O.yields != Yields::None)
      own |= loopsOverCalls(F);
    if (own)
      suspends.insert(&F);
  }
  if (O.yields != Yields::None) {
    CallGraph graph(M);
    for (auto group = scc_begin(&graph); !group.isAtEnd(); ++group)
      if (group.hasCycle())
        for (CallGraphNode *node : *group)
          if (Function *F = node->getFunction(); F && !F->isDeclaration())
            suspends.insert(F);
  }

  // Computes the least fixed point of "calls something that suspends". A function that belongs to it is put into
  // `refused` if it cannot be cloned, and otherwise into versionSet.
  DenseMap<const Function *, const char *> reason;
  for (Function &F : M)
    if (!F.isDeclaration())
      reason[&F] = whyPlain(F);
  auto admit = [&](const Function *F) { (reason[F] ? refused : versionSet).insert(F); };
  for (const Function *F : suspends)
    if (!F->hasFnAttribute(AtomicAttr))
      admit(F);
  SmallVector<Function *> work;
  DenseMap<const Value *, SmallVector<Function *>> callersOf;
  for (auto &[F, callList] : callsOf) {
    work.push_back(F);
    for (const CallBase *CB : callList)
      if (const Function *callee = calleeOf(*CB); callee && !callee->isDeclaration())
        callersOf[callee].push_back(F);
  }
  while (!work.empty()) {
    Function *F = work.pop_back_val();
    if (versionSet.contains(F) || refused.contains(F) || none_of(callsOf[F], [&](const CallBase *CB) {
          CallKind kind = classify(*CB);
          return kind != CallKind::Plain && (kind != CallKind::PlainYield || O.yields != Yields::None);
        }))
      continue;
    admit(F);
    work.append(callersOf[F]); // for these functions the answer may have changed
  }
  for (Function &F : M) {
    const bool wanted = isWorthAVersion(F) || (isInPlaceOfReplacement(F) && !F.hasFnAttribute(AtomicAttr));
    if (versionSet.contains(&F) || (!refused.contains(&F) && wanted && !reason[&F]))
      chosen.push_back(&F);
    else if (refused.contains(&F))
      remark(F, "'" + F.getName() + "' has only a plain version: " + reason[&F]);
  }
}

} // namespace charcoal
