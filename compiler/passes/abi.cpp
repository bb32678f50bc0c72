// The types, globals and functions of the ABI as LLVM sees them. abi.h describes each; abi/charcoal_abi.h is the
// contract.
#include "abi.h"
#include "options.h"

using namespace llvm;
using namespace charcoal;

Abi::Abi(Module &M)
    : M(M), exceptions(mayPassExceptions(M)), C(M.getContext()), Void(Type::getVoidTy(C)), I8(Type::getInt8Ty(C)),
      I16(Type::getInt16Ty(C)), I32(Type::getInt32Ty(C)), I64(Type::getInt64Ty(C)), Ptr(PointerType::getUnqual(C)),
      Size(M.getDataLayout().getIntPtrType(C)) {}

GlobalVariable *Abi::tls() {
  if (GlobalVariable *G = M.getNamedGlobal(CH_TLS_SYMBOL))
    return G;
  // An executable contains the runtime, so its code addresses ch_tls directly. A shared object's code cannot.
  bool inExecutable = M.getPICLevel() == PICLevel::NotPIC || M.getPIELevel() != PIELevel::Default;
  auto *G = new GlobalVariable(M, ArrayType::get(I8, sizeof(struct ch_tls)), false, GlobalValue::ExternalLinkage,
                               nullptr, CH_TLS_SYMBOL, nullptr,
                               inExecutable ? GlobalValue::LocalExecTLSModel : GlobalValue::InitialExecTLSModel);
  G->setDSOLocal(inExecutable);
  G->setAlignment(Align(64));
  return G;
}

Value *Abi::tlsField(IRBuilder<> &B, unsigned offset) {
  Value *base = B.CreateThreadLocalAddress(tls());
  return offset ? B.CreateConstInBoundsGEP1_64(I8, base, offset) : base;
}

LoadInst *Abi::loadAttention(IRBuilder<> &B) {
  return B.CreateAlignedLoad(I32, tlsField(B, offsetof(struct ch_tls, attention)), Align(4), /*isVolatile=*/true);
}

FunctionCallee Abi::declare(StringRef name, Type *result, ArrayRef<Type *> params) {
  FunctionCallee callee = M.getOrInsertFunction(name, FunctionType::get(result, params, false));
  if (auto *F = dyn_cast<Function>(callee.getCallee()))
    F->setDoesNotThrow();
  return callee;
}

Attribute charcoal::noCapture(LLVMContext &C) { return Attribute::getWithCaptureInfo(C, CaptureInfo::none()); }

// The callee reads and writes the memory to which the argument points, but does not keep its address, so for alias
// analysis the memory stays private.
static FunctionCallee nocapture(FunctionCallee callee, unsigned param) {
  if (auto *F = dyn_cast<Function>(callee.getCallee()))
    F->addParamAttr(param, charcoal::noCapture(F->getContext()));
  return callee;
}

static FunctionCallee cold(FunctionCallee callee) {
  if (auto *F = dyn_cast<Function>(callee.getCallee()))
    F->addFnAttr(Attribute::Cold);
  return callee;
}

FunctionCallee Abi::suspend() { return cold(nocapture(declare("ch_suspend", I32, {Ptr, Ptr, I32}), 1)); }
FunctionCallee Abi::suspendHome() { return cold(nocapture(declare("ch_suspend_home", I32, {Ptr, Ptr, I32}), 1)); }
FunctionCallee Abi::restore() {
  return cold(nocapture(declare("ch_restore", StructType::get(C, {Size, Size}), {Ptr}), 0));
}
FunctionCallee Abi::asyncBranch() { return cold(declare("ch_async_branch", Void, {Ptr})); }
FunctionCallee Abi::asyncPause() { return cold(declare("ch_async_pause", Void, {})); }
FunctionCallee Abi::asyncResumed() { return cold(declare("ch_async_resumed", Void, {Ptr})); }
FunctionCallee Abi::throwHere() {
  FunctionCallee callee = M.getOrInsertFunction("ch_throw_here", Void);
  if (auto *F = dyn_cast<Function>(callee.getCallee()))
    F->setDoesNotReturn();
  return cold(callee);
}
FunctionCallee Abi::anchorStepsAside() { return declare("ch_anchor_steps_aside", I32, {}); }
FunctionCallee Abi::anchorBegin() { return declare("ch_anchor_begin", Void, {Ptr, Ptr}); }
FunctionCallee Abi::anchorResume() { return declare("ch_anchor_resume", I32, {Ptr}); }
FunctionCallee Abi::anchorWait() { return cold(declare("ch_anchor_wait", I32, {Ptr, I32, I32})); }
FunctionCallee Abi::anchorSet() { return declare("ch_anchor_set", Void, {Ptr, Ptr, I32, I32}); }
FunctionCallee Abi::aroundNote() { return declare("ch_around_note", Void, {Ptr}); }
FunctionCallee Abi::aroundRestore() { return declare("ch_around_restore", Void, {Ptr}); }
FunctionCallee Abi::frameNew() { return declare("ch_frame_new", Ptr, {Ptr}); }
FunctionCallee Abi::frameNewGuarded() { return declare("ch_frame_new_guarded", Ptr, {Ptr, Ptr}); }
FunctionCallee Abi::frameFree() { return declare("ch_frame_free", Void, {Ptr}); }
FunctionCallee Abi::alloca_() { return nocapture(declare("ch_alloca", Ptr, {Ptr, Size, Size}), 0); }
FunctionCallee Abi::allocaRelease() { return nocapture(declare("ch_alloca_release", Void, {Ptr, Ptr}), 0); }
FunctionCallee Abi::versionOf() { return declare("ch_version_of", Ptr, {Ptr, Ptr}); }
FunctionCallee Abi::main() { return declare("ch_main", I32, {Ptr, I32, Ptr, Ptr}); }
FunctionCallee Abi::atomicSettle() { return declare("ch_atomic_settle", Void, {}); }
FunctionCallee Abi::versionsRegister() { return declare("ch_versions_register", Void, {Ptr, Ptr}); }
FunctionCallee Abi::versionsUnregister() { return declare("ch_versions_unregister", Void, {Ptr, Ptr}); }

StructType *Abi::frameInfoType() {
  if (StructType *T = StructType::getTypeByName(C, "charcoal.frame_info"))
    return T;
  static_assert(sizeof(struct ch_frame_info) == 72, "struct ch_frame_info has changed");
  return StructType::create(C, {Ptr, Ptr, Ptr, Ptr, Ptr, I32, I32, I32, I32, I16, I16, I32, Ptr},
                            "charcoal.frame_info");
}

Type *Abi::resultType(Type *T) { return T->isVoidTy() ? static_cast<Type *>(I32) : StructType::get(C, {I32, T}); }

Value *Abi::status(IRBuilder<> &B, Value *result) {
  return result->getType()->isStructTy() ? B.CreateExtractValue(result, 0) : result;
}

Value *Abi::makeResult(IRBuilder<> &B, Type *T, Value *status, Value *value) {
  if (T->isVoidTy())
    return status;
  Value *result = B.CreateInsertValue(PoisonValue::get(resultType(T)), status, 0);
  return value ? B.CreateInsertValue(result, value, 1) : result;
}
