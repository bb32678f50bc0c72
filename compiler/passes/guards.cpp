// See guards.h.
#include "guards.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace charcoal;

// AddressSanitizer's own values: the bytes that one byte of shadow describes, and the size of the first red zone.
static constexpr uint64_t Granularity = 8, Header = 32;

bool Guards::guards(const AllocaInst &A) {
  return A.getAllocationSize(A.getDataLayout())->getFixedValue() > 0 && !A.isSwiftError() && !isAllocaPromotable(&A);
}

static bool hasScope(const AllocaInst &A) {
  return any_of(A.users(), [](const User *U) { return cast<Instruction>(U)->isLifetimeStartOrEnd(); });
}

Guards::Guards(Abi &abi, ArrayRef<AllocaInst *> homes) : abi(abi) {
  names.reserve(homes.size());
  for (AllocaInst *A : homes) {
    unsigned line = 0;
    names.push_back(A->getName().str());
    for (DbgVariableRecord *declared : findDVRDeclares(A)) {
      names.back() = declared->getVariable()->getName().str();
      line = declared->getVariable()->getLine();
    }
    uint64_t size = std::max<uint64_t>(1, A->getAllocationSize(abi.M.getDataLayout())->getFixedValue());
    variables.push_back({nullptr, size, hasScope(*A) ? size : 0, A->getAlign().value(), A, 0, line});
    variables.back().Name = names.back().c_str();
  }
  layout = ComputeASanStackFrameLayout(variables, Granularity, Header);
  size = layout.FrameSize;
  align = Align(layout.FrameAlignment);
}

uint64_t Guards::offsetOf(const AllocaInst *A) const {
  return find_if(variables, [&](const auto &variable) { return variable.AI == A; })->Offset;
}

void Guards::markScopes(AllocaInst *A) {
  Value *size = ConstantInt::get(abi.Size, A->getAllocationSize(abi.M.getDataLayout())->getFixedValue());
  auto *type = FunctionType::get(abi.Void, {abi.Ptr, abi.Size}, false);
  for (User *U : make_early_inc_range(A->users())) {
    auto *marker = cast<Instruction>(U);
    if (!marker->isLifetimeStartOrEnd())
      continue;
    bool begins = cast<IntrinsicInst>(marker)->getIntrinsicID() == Intrinsic::lifetime_start;
    const char *name = begins ? "__asan_unpoison_stack_memory" : "__asan_poison_stack_memory";
    IRBuilder<>(marker).CreateCall(abi.M.getOrInsertFunction(name, type), {A, size})->setDoesNotThrow();
  }
}

Constant *Guards::description(uint64_t start) const {
  auto constant = [&](Constant *value, const Twine &name) {
    auto *G = new GlobalVariable(abi.M, value->getType(), true, GlobalValue::PrivateLinkage, value, name);
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return G;
  };
  SmallVector<uint8_t, 64> shadow = GetShadowBytesAfterScope(variables, layout);
  Constant *text = ConstantDataArray::getString(abi.C, ComputeASanStackFrameDescription(variables));
  Constant *value = ConstantStruct::getAnon(
      {constant(text, "charcoal.variables"), constant(ConstantDataArray::get(abi.C, shadow), "charcoal.shadow"),
       ConstantInt::get(abi.I32, start), ConstantInt::get(abi.I32, shadow.size())});
  return constant(value, "charcoal.guards");
}
