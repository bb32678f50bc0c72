// Blocks for a thread of the pool, in pass `outline`: the helper becomes plain code, and its call becomes
// ch_offload(@helper, record).
#include "outliner.h"
#include "suspension_markers.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace charcoal {

void outlineOffload(CallInst *marker) {
  Function &helper = *marker->getFunction();
  PointerType *ptr = PointerType::getUnqual(helper.getContext());
  FunctionCallee run =
      helper.getParent()->getOrInsertFunction("ch_offload", Type::getInt32Ty(helper.getContext()), ptr, ptr);
  for (User *user : make_early_inc_range(helper.users())) {
    if (auto *invoke = dyn_cast<InvokeInst>(user))
      user = changeToCall(invoke);
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledOperand() != &helper)
      continue;
    nameHelper(helper, *call->getFunction(), ".offload");
    inheritAttributes(helper, *call->getFunction());
    IRBuilder<> B(call);
    B.CreateCall(run, {&helper, call->getArgOperand(0)});
    call->eraseFromParent();
  }
  helper.addFnAttr(AtomicAttr);
  marker->eraseFromParent();
}

} // namespace charcoal
