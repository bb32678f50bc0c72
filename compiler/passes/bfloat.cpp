// Defines __truncsfbf2 in modules whose glue needs it, because libgcc has it only since version 13.
//
// On x86-64 without special instructions a __bf16 is a float between instructions, and the code generator calls
// __truncsfbf2 whenever such a value is stored or passed on. A program that only passes such values on may need no such
// call in plain code, but Charcoal's glue saves and reloads the values. The function computes
//
//     bits + 0x7fff + (bits >> 16 & 1), its upper half; of a NaN the upper half with the quiet bit
#include "bfloat.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace charcoal {

static bool usesBfloat(const Module &M) {
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    if (F.getName().starts_with("charcoal.") && F.getName().contains("bfloat"))
      return true;
    for (const Argument &A : F.args())
      if (A.getType()->getScalarType()->isBFloatTy())
        return true;
  }
  return false;
}

void provideBfloatTruncation(Module &M) {
  constexpr StringLiteral name = "__truncsfbf2";
  if (Triple(M.getTargetTriple()).getArch() != Triple::x86_64 || !usesBfloat(M))
    return;
  LLVMContext &C = M.getContext();
  auto *type = FunctionType::get(Type::getBFloatTy(C), {Type::getFloatTy(C)}, false);
  auto *F = dyn_cast<Function>(M.getOrInsertFunction(name, type).getCallee());
  if (!F || !F->isDeclaration() || F->getFunctionType() != type)
    return;
  F->setLinkage(GlobalValue::WeakODRLinkage);
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setDSOLocal(true);
  F->setComdat(M.getOrInsertComdat(name));
  F->setDoesNotThrow();
  F->addFnAttr("target-cpu", "x86-64"); // the linker may take this one for the whole program
  F->addFnAttr("target-features", "+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87");
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  Value *bits = B.CreateBitCast(F->getArg(0), B.getInt32Ty());
  Value *odd = B.CreateAnd(B.CreateLShr(bits, 16), 1);
  Value *rounded = B.CreateLShr(B.CreateAdd(bits, B.CreateAdd(odd, B.getInt32(0x7fff))), 16);
  Value *quiet = B.CreateOr(B.CreateLShr(bits, 16), 0x40);
  Value *isNan = B.CreateICmpUGT(B.CreateAnd(bits, 0x7fffffff), B.getInt32(0x7f800000));
  Value *half = B.CreateTrunc(B.CreateSelect(isNan, quiet, rounded), B.getInt16Ty());
  B.CreateRet(B.CreateBitCast(half, type->getReturnType()));
  appendToCompilerUsed(M, {F}); // only the code generator inserts calls of it
}

} // namespace charcoal
