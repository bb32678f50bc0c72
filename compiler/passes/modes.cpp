// Pass `modes`: code that changes MXCSR tells the runtime so. Programs without such code need not read it at each
// switch.
//
//   takes   the module as clang made it
//   leaves  a store before each instruction that loads MXCSR, be it an intrinsic or inline assembly
//
//                                            store atomic i32 1, ptr @ch_mxcsr_changes monotonic
//     call void @llvm.x86.sse.ldmxcsr(p)  => call void @llvm.x86.sse.ldmxcsr(p)
//
// Functions of <fenv.h> and llvm.set.rounding need no store: they also change the x87 control word, which the runtime
// reads at each switch.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-modes
#include "modes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace charcoal {

static bool loadsMxcsr(const CallBase &call) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    const StringRef text = assembly->getAsmString();
    return text.contains_insensitive("ldmxcsr") || text.contains_insensitive("xrstor"); // this also finds fxrstor
  }
  switch (call.getIntrinsicID()) {
  case Intrinsic::x86_sse_ldmxcsr:
  case Intrinsic::x86_fxrstor:
  case Intrinsic::x86_fxrstor64:
  case Intrinsic::x86_xrstor:
  case Intrinsic::x86_xrstor64:
  case Intrinsic::x86_xrstors:
  case Intrinsic::x86_xrstors64:
    return true;
  default:
    return false;
  }
}

PreservedAnalyses ModesPass::run(Module &M, ModuleAnalysisManager &) {
  SmallVector<CallBase *> loads;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *call = dyn_cast<CallBase>(&I); call && loadsMxcsr(*call))
        loads.push_back(call);
  for (CallBase *load : loads) {
    IRBuilder<> B(load);
    Constant *word = M.getOrInsertGlobal("ch_mxcsr_changes", B.getInt32Ty());
    B.CreateAlignedStore(B.getInt32(1), word, Align(4))->setAtomic(AtomicOrdering::Monotonic);
  }
  return loads.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace charcoal
