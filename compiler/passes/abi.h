// The compiler's view of abi/charcoal_abi.h: the same names, types and offsets, as LLVM IR.
#ifndef CHARCOAL_PASSES_ABI_H
#define CHARCOAL_PASSES_ABI_H

#include "charcoal_abi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace charcoal {

// An attribute of a pointer parameter: the callee does not keep the address after its return.
llvm::Attribute noCapture(llvm::LLVMContext &);

class Abi {
public:
  explicit Abi(llvm::Module &M);

  llvm::Module &M;
  const bool exceptions; // mayPassExceptions(M)
  llvm::LLVMContext &C;
  llvm::Type *Void;
  llvm::IntegerType *I8, *I16, *I32, *I64;
  llvm::PointerType *Ptr;
  llvm::IntegerType *Size; // size_t

  // Address of a field of this thread's ch_tls.
  llvm::Value *tlsField(llvm::IRBuilder<> &B, unsigned offset);
  llvm::LoadInst *loadAttention(llvm::IRBuilder<> &B);

  llvm::FunctionCallee suspend();     // i32 ch_suspend(info, image, why)
  llvm::FunctionCallee suspendHome(); // i32 ch_suspend_home(frame, image, why)
  llvm::FunctionCallee restore();     // {point, value} ch_restore(image)
  llvm::FunctionCallee asyncBranch();
  llvm::FunctionCallee asyncPause();
  llvm::FunctionCallee asyncResumed();
  llvm::FunctionCallee throwHere();
  llvm::FunctionCallee anchorStepsAside();
  llvm::FunctionCallee anchorBegin();   // void ch_anchor_begin(anchor, info)
  llvm::FunctionCallee anchorResume();  // i32 ch_anchor_resume(frame)
  llvm::FunctionCallee anchorWait();    // i32 ch_anchor_wait(anchor, point, status)
  llvm::FunctionCallee anchorSet();     // void ch_anchor_set(anchor, buffer, value, depth)
  llvm::FunctionCallee aroundNote();    // void ch_around_note(around)
  llvm::FunctionCallee aroundRestore(); // void ch_around_restore(around)
  llvm::FunctionCallee frameNew();
  llvm::FunctionCallee frameNewGuarded(); // ptr ch_frame_new_guarded(info, guards)
  llvm::FunctionCallee frameFree();
  llvm::FunctionCallee alloca_();
  llvm::FunctionCallee allocaRelease();
  llvm::FunctionCallee versionOf();
  llvm::FunctionCallee main();
  llvm::FunctionCallee atomicSettle();
  llvm::FunctionCallee versionsRegister();
  llvm::FunctionCallee versionsUnregister();

  // struct ch_frame_info as a constant's type.
  llvm::StructType *frameInfoType();
  llvm::ConstantInt *number(uint64_t n) { return llvm::ConstantInt::get(I32, n); }

  // {status, T}: what an interruptible function of result type T returns. The status comes first, so that it is in
  // the same register whatever T is.
  llvm::Type *resultType(llvm::Type *T);
  llvm::Value *status(llvm::IRBuilder<> &B, llvm::Value *result);
  llvm::Value *makeResult(llvm::IRBuilder<> &B, llvm::Type *T, llvm::Value *status, llvm::Value *value);

private:
  llvm::FunctionCallee declare(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> params);
  llvm::GlobalVariable *tls();
};

} // namespace charcoal

#endif
