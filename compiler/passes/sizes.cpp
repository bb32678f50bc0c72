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

} // namespace charcoal
