// What a module does for the checks, in pass `outline`.
#include "outliner.h"
#include "suspension_markers.h"
#include "options.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace charcoal {

// The runtime checks only if it is asked to, so a module that is compiled with checks asks for it when it is loaded.
static void turnChecksOn(Module &M, const Checks &checks) {
  LLVMContext &C = M.getContext();
  Type *nothing = Type::getVoidTy(C);
  Function *constructor =
      Function::Create(FunctionType::get(nothing, false), GlobalValue::InternalLinkage, "charcoal.checks", M);
  constructor->addFnAttr(AtomicAttr);
  IRBuilder<> B(BasicBlock::Create(C, "", constructor));
  if (checks.spawned)
    B.CreateStore(B.getInt32(1), M.getOrInsertGlobal("ch_checks", Type::getInt32Ty(C)));
  if (checks.neverWaits)
    B.CreateCall(M.getOrInsertFunction("ch_never_waits_is_checked", nothing));
  B.CreateRetVoid();
  appendToGlobalCtors(M, constructor, 65535);
}

// Before each return of a function that lent locals to activities, the runtime checks whether one of these activities
// is alive. No record has the address of a copied variable, so the check finds nothing for it.
static void checkReturns(Module &M, const Checks &checks) {
  LLVMContext &C = M.getContext();
  PointerType *ptr = PointerType::getUnqual(C);
  IntegerType *size = M.getDataLayout().getIntPtrType(C);
  FunctionCallee check = M.getOrInsertFunction("ch_captures_local_ends", Type::getVoidTy(C), ptr, size, ptr);
  if (auto *F = dyn_cast<Function>(check.getCallee())) {
    F->addFnAttr(Attribute::NoCallback); // so there are no yield points around it
    F->setDoesNotThrow();
  }
  for (auto [F, local] : checks.lent)
    for (BasicBlock &BB : *F) {
      auto *R = dyn_cast_if_present<ReturnInst>(BB.getTerminator());
      // At the end of main the program ends, so activities that still run use no local any more.
      if (!R || BB.getTerminatingMustTailCall() || !local->isStaticAlloca() || F->getName() == "main")
        continue;
      std::string where = F->getName().str();
      if (const DebugLoc &place = R->getDebugLoc())
        where += (" (" + place->getFilename() + ":" + Twine(place->getLine()) + ")").str();
      IRBuilder<> B(R);
      B.CreateCall(check, {local, ConstantInt::get(size, local->getAllocationSize(M.getDataLayout())->getFixedValue()),
                           B.CreateGlobalString(where, "charcoal.return", 0, &M)});
    }
}

void addChecks(Module &M, const Checks &checks) {
  if (!options().checks)
    return;
  if (checks.spawned || checks.neverWaits)
    turnChecksOn(M, checks);
  if (checks.spawned)
    checkReturns(M, checks);
}

} // namespace charcoal
