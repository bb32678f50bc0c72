// The attributes and functions that mark suspension in the IR between the passes `duplicate` and `split`.
//
// Until `split`, an interruptible version is an ordinary function of its plain version's type, and a call that may
// suspend is an ordinary call with an attribute. So the optimiser treats both as it treats all other code. `split`
// removes all of these markers.
#ifndef CHARCOAL_PASSES_SUSPENSION_MARKERS_H
#define CHARCOAL_PASSES_SUSPENSION_MARKERS_H

#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace charcoal {

// Attribute of a function definition: it is the interruptible version of the function that the value names.
inline constexpr llvm::StringLiteral VersionAttr = "charcoal-version-of";
// Attribute of such a function: its name was given by the annotation "charcoal.replaces=name". If the program has a
// definition of its own, the linker takes that.
inline constexpr llvm::StringLiteral NamedAttr = "charcoal-named";
// Attribute of such a function: it always returns soon, and has no check.
inline constexpr llvm::StringLiteral BoundedAttr = "charcoal-bounded";
// Attribute of a function that runs in the frame that it gets (split_kept.cpp): the name of the frame's description.
inline constexpr llvm::StringLiteral FrameAttr = "charcoal-frame";
// Attribute of a declaration name.int: it stands for "the interruptible version of `name`, if some module defines one".
inline constexpr llvm::StringLiteral ExternalVersionAttr = "charcoal-external-version-of";
// On a call: it may suspend.
inline constexpr llvm::StringLiteral SuspendsAttr = "charcoal-suspends";
// On a yield: the user wrote it.
inline constexpr llvm::StringLiteral ExplicitAttr = "charcoal-explicit";
// On a function: the body of an `activate` statement (set by `outline`).
inline constexpr llvm::StringLiteral ActivityAttr = "charcoal-activity";
// On a function: declared `atomic` (set by `outline`).
inline constexpr llvm::StringLiteral AtomicAttr = "charcoal-atomic";

inline constexpr llvm::StringLiteral VersionSuffix = ".int";
// Stands before that suffix if the version takes a block of variable arguments (variadic.h). Whoever calls the function
// without knowing of them, as after `int f();`, then finds no version of the name that it asks for.
inline constexpr llvm::StringLiteral VariadicInfix = ".variadic";

inline std::string versionName(llvm::StringRef function, bool isVariadic) {
  return (function + (isVariadic ? VariadicInfix : llvm::StringLiteral("")) + VersionSuffix).str();
}

// void charcoal.yield(): a yield point, taken when the slice is over.
// void charcoal.pause(): a yield point that is always taken (stress).
// ptr charcoal.version_of(ptr, ptr adapter): the interruptible version of what a pointer points to, or else the
// adapter.
//
// To the optimiser each is an ordinary call of a function of which it knows nothing, and it may make one of two that
// look alike. That is right because what a mark means is all in its operands and attributes:
//   - two yields, or two pauses, are equal; one that the user wrote has an attribute that keeps it apart;
//   - two look-ups of one pointer are equal only if they name the same adapter, that is, if the calls have the same
//     signature: a pointer may be called with one prototype here and another there;
//   - a suspending call is told apart by its callee, type, attributes and, if it is `async`, by the scope in its
//   bundle;
//   - __charcoal_atomic_enter and _leave, which `atomic` takes away before anything is optimised, never meet it.
inline constexpr llvm::StringLiteral YieldName = "charcoal.yield";
inline constexpr llvm::StringLiteral PauseName = "charcoal.pause";
inline constexpr llvm::StringLiteral VersionOfName = "charcoal.version_of";

inline bool calls(const llvm::Instruction &I, llvm::StringRef name) {
  auto *CB = llvm::dyn_cast<llvm::CallBase>(&I);
  auto *F = CB ? llvm::dyn_cast<llvm::Function>(CB->getCalledOperand()) : nullptr;
  return F && F->getName() == name;
}
inline bool isYield(const llvm::Instruction &I) { return calls(I, YieldName); }
inline bool isPause(const llvm::Instruction &I) { return calls(I, PauseName); }
inline bool isYieldOrPause(const llvm::Instruction &I) { return isYield(I) || isPause(I); }
// A yield point: the callee, or the adapter in front of it, has a check at its entry, unless it always returns soon.
// One that is written by hand makes the check itself (ch_done in charcoal_abi.h).
inline bool isSuspendingCall(const llvm::Instruction &I) {
  auto *CB = llvm::dyn_cast<llvm::CallBase>(&I);
  return CB && CB->hasFnAttr(SuspendsAttr);
}
// A call of the runtime's ch_reschedule, which always gives way. So `split` makes no call of it.
inline bool givesWay(const llvm::Instruction &I) {
  auto *callee = isSuspendingCall(I) ? llvm::cast<llvm::CallBase>(I).getCalledFunction() : nullptr;
  return callee && I.getType()->isVoidTy() && !llvm::cast<llvm::CallBase>(I).hasOperandBundles() &&
         callee->getFnAttribute(ExternalVersionAttr).getValueAsString() == "ch_reschedule";
}
inline bool isInterruptible(const llvm::Function &F) { return !F.isDeclaration() && F.hasFnAttribute(VersionAttr); }

// Whether a check is surely made here: by a yield point, or by the callee. What another module's function does, or one
// that is called through a pointer, is not known.
inline bool isCheck(const llvm::Instruction &I) {
  if (isYieldOrPause(I) || givesWay(I))
    return true;
  auto *callee = isSuspendingCall(I) ? llvm::cast<llvm::CallBase>(I).getCalledFunction() : nullptr;
  return callee && isInterruptible(*callee) && !callee->hasFnAttribute(BoundedAttr);
}

// A call in the sense of the source program: no intrinsic, no marker, no inline assembly.
inline bool isRealCall(const llvm::Instruction &I) {
  auto *CB = llvm::dyn_cast<llvm::CallBase>(&I);
  if (!CB || CB->isInlineAsm())
    return false;
  auto *F = llvm::dyn_cast<llvm::Function>(CB->getCalledOperand());
  return !F || !(F->isIntrinsic() || F->getName().starts_with("charcoal.") || F->getName().starts_with("__charcoal_"));
}

// Whether this looks at memory that somebody else may change. A loop of such looks, like that of a spin lock, waits for
// somebody.
inline bool isLookAtShared(const llvm::Instruction &I) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&I))
    return load->isVolatile() || load->isAtomic();
  return llvm::isa<llvm::AtomicRMWInst>(I) || llvm::isa<llvm::AtomicCmpXchgInst>(I);
}
// Whether no cycle may do this without passing a yield point. For looks at memory see waiting.h.
inline bool needsYieldInCycle(const llvm::Instruction &I) { return isRealCall(I) || isLookAtShared(I); }

// Returns the declaration that stands for the interruptible version of a function of another module.
inline llvm::Function *externalVersion(llvm::Function &plain, llvm::FunctionType *type, bool isVariadic) {
  llvm::Module &M = *plain.getParent();
  std::string name = versionName(plain.getName(), isVariadic);
  if (llvm::Function *known = M.getFunction(name))
    return known;
  auto *version = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, M);
  version->addFnAttr(ExternalVersionAttr, plain.getName());
  // It has default visibility, whatever the function has, because some linkers do not resolve a hidden symbol to null
  // if it is nowhere defined.
  return version;
}

// Whether the function is linked from another module, although a body stands in this one (`extern inline`), and that
// one may be overridden in its turn. So nothing can be said about the body that will run.
inline bool isChosenElsewhere(const llvm::Function &F) {
  return F.hasAvailableExternallyLinkage() && F.isInterposable();
}

// Returns the address of the body in this module of a function that another module may override.
inline llvm::GlobalAlias *bodyInThisModule(llvm::GlobalValue &F) {
  std::string name = (F.getName() + ".here").str();
  if (llvm::GlobalAlias *known = F.getParent()->getNamedAlias(name))
    return known;
  auto *alias = llvm::dyn_cast<llvm::GlobalAlias>(&F);
  return llvm::GlobalAlias::create(F.getValueType(), 0, llvm::GlobalValue::InternalLinkage, name,
                                   alias ? alias->getAliasee() : &F, F.getParent());
}

inline llvm::FunctionCallee markerFunction(llvm::Module &M, llvm::StringRef name) {
  llvm::LLVMContext &C = M.getContext();
  llvm::Type *P = llvm::PointerType::getUnqual(C);
  llvm::FunctionCallee marker = name == VersionOfName ? M.getOrInsertFunction(name, P, P, P)
                                                      : M.getOrInsertFunction(name, llvm::Type::getVoidTy(C));
  // Makes the inliner decide as it does for plain C, in which there are no markers.
  if (auto *F = llvm::dyn_cast<llvm::Function>(marker.getCallee()))
    F->addFnAttr("call-inline-cost", "0");
  return marker;
}

} // namespace charcoal

#endif
