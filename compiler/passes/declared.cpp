// Turns the annotations of declared functions into attributes (declared.h).
#include "declared.h"
#include "options.h"
#include "promises.h"
#include "suspension_markers.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace charcoal {

// The function needs a frame, because the runtime finds a wait in the function by this frame.
static void markNeverWaits(Function &F) {
  F.addFnAttr(NeverWaitsAttr);
  F.removeFnAttr(Attribute::AlwaysInline);
  F.addFnAttr(Attribute::NoInline);
}

bool markDeclared(Module &M, bool &neverWaits) {
  GlobalVariable *annotations = M.getGlobalVariable("llvm.global.annotations");
  auto *entries =
      annotations && annotations->hasInitializer() ? dyn_cast<ConstantArray>(annotations->getInitializer()) : nullptr;
  if (!entries)
    return false;
  std::vector<Constant *> others;
  for (Value *entry : entries->operands()) {
    auto *fields = cast<ConstantStruct>(entry);
    auto *text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    auto *data = text ? dyn_cast<ConstantDataArray>(text->getInitializer()) : nullptr;
    const StringRef says = data && data->isCString() ? data->getAsCString() : "";
    auto *F = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
    if (says != "charcoal.atomic" && says != "charcoal.never_waits")
      others.push_back(fields);
    else if (F && says == "charcoal.atomic")
      F->addFnAttr(AtomicAttr);
    else if (F && options().checks) {
      markNeverWaits(*F);
      neverWaits = true;
    }
  }
  if (others.size() == entries->getNumOperands())
    return false;
  if (!others.empty()) {
    auto *type = ArrayType::get(entries->getType()->getElementType(), others.size());
    auto *rest = new GlobalVariable(M, type, annotations->isConstant(), annotations->getLinkage(),
                                    ConstantArray::get(type, others));
    rest->copyAttributesFrom(annotations);
    rest->takeName(annotations);
  }
  annotations->eraseFromParent();
  return true;
}

} // namespace charcoal
