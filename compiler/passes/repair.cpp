// Pass `repair`: makes valid what clang's front end leaves invalid, because clang compiles it nevertheless.
//
//   takes   the module as clang made it; clang does not check it
//   leaves  a module that the checks after each stage accept, as far as the front end's mistakes are known
//
//     %w = insertelement <8 x i1> %v, i8 %x, i32 3    =>    %b = trunc i8 %x to i1
//                                                           %w = insertelement <8 x i1> %v, i1 %b, i32 3
//
// clang 22 forgets this conversion where a program assigns to an element of a vector of _Bool. Its value has the width
// of the whole vector in memory: a byte for 8 elements, 33 bits for 33. The code generator takes the lowest bit then,
// and so does the conversion. Alone: opt -passes=charcoal-repair cannot read such a module.
#include "repair.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace charcoal {

static bool insertsWiderThanBit(const InsertElementInst &I) {
  return I.getType()->getElementType()->isIntegerTy(1) && !I.getOperand(1)->getType()->isIntegerTy(1);
}

PreservedAnalyses RepairPass::run(Module &M, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *insert = dyn_cast<InsertElementInst>(&I); insert && insertsWiderThanBit(*insert)) {
        insert->setOperand(1, IRBuilder<>(insert).CreateTrunc(insert->getOperand(1), Type::getInt1Ty(M.getContext())));
        changed = true;
      }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
