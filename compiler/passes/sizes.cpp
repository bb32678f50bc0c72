// See sizes.h.
#include "sizes.h"
#include "charcoal_sizes.h"

using namespace llvm;

namespace charcoal {

// `any` is the function for any size. That for the size is declared in the same way.
static FunctionCallee ofSize(Abi &abi, FunctionCallee any, StringRef name, uint64_t image) {
  if (image > CH_SIZED_WORDS * 8)
    return any;
  auto sized = abi.M.getOrInsertFunction((name + "_" + Twine(image / 8)).str(), any.getFunctionType());
  auto *from = dyn_cast<Function>(any.getCallee()), *to = dyn_cast<Function>(sized.getCallee());
  if (from && to)
    to->copyAttributesFrom(from);
  return sized;
}

FunctionCallee suspendOfSize(Abi &abi, uint64_t image) { return ofSize(abi, abi.suspend(), "ch_suspend", image); }
FunctionCallee suspendHomeOfSize(Abi &abi, uint64_t image) {
  return ofSize(abi, abi.suspendHome(), "ch_suspend_home", image);
}
FunctionCallee restoreOfSize(Abi &abi, uint64_t image) { return ofSize(abi, abi.restore(), "ch_restore", image); }
FunctionCallee restoreHomeOfSize(Abi &abi, uint64_t image) {
  return ofSize(abi, abi.restore(), "ch_restore_home", image);
}

void spawnBySize(Abi &abi, CallInst &call) {
  Value *handle = call.getArgOperand(0), *body = call.getArgOperand(1), *record = call.getArgOperand(2);
  auto *size = dyn_cast<ConstantInt>(call.getArgOperand(3)), *flags = dyn_cast<ConstantInt>(call.getArgOperand(4));
  const bool unseen = isa<ConstantPointerNull>(handle);
  if (!size || size->getZExtValue() % 8 != 0 || size->getZExtValue() > CH_SIZED_WORDS * 8 || !flags ||
      flags->getZExtValue() != (unseen ? CH_SPAWN_UNSEEN : 0))
    return;
  SmallVector<Value *, 4> arguments = {handle, body, record, call.getArgOperand(5)};
  if (unseen)
    arguments.erase(arguments.begin());
  const SmallVector<Type *, 4> types(arguments.size(), abi.Ptr);
  const std::string name = ((unseen ? "ch_spawn_" : "ch_spawn_handle_") + Twine(size->getZExtValue() / 8)).str();
  IRBuilder<> B(&call);
  CallInst *sized = B.CreateCall(abi.M.getOrInsertFunction(name, FunctionType::get(abi.I32, types, false)), arguments);
  if (Function *F = sized->getCalledFunction())
    F->setDoesNotThrow();
  call.replaceAllUsesWith(sized);
  call.eraseFromParent();
}

} // namespace charcoal
