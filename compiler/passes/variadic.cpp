// See variadic.h. In the x86-64 ABI a va_list first walks through saved registers and then through the arguments that
// were passed in memory. Both lie on the native stack, and a suspended call has left that stack. So an interruptible
// version gets all its variable arguments in memory, in a block of its caller's frame, with the layout that the ABI has
// for arguments that do not fit into registers. Its va_start makes a va_list whose registers are used up.
//
//     f(fmt, ...)   ~>   f.int(fmt, area)          struct va_list { u32 gp_offset = 48, fp_offset = 176;
//     va_start(ap)  ~>   ap = {48, 176, area, 0}                    void *overflow_arg_area, *reg_save_area; }
//
// (System V ABI, AMD64, section 3.5.7. clang's va_arg takes a struct in pieces from registers only if all pieces fit.)
#include "variadic.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace charcoal {

bool supportsVariadicVersions(const Module &M) {
  Triple target(M.getTargetTriple());
  return target.getArch() == Triple::x86_64 && target.isOSLinux() && !target.isX32();
}

FunctionType *variadicVersionType(const FunctionType &type) {
  SmallVector<Type *> params(type.params());
  params.push_back(PointerType::getUnqual(type.getContext()));
  return FunctionType::get(type.getReturnType(), params, false);
}

void lowerVaStart(Function &version) {
  Value *area = version.getArg(version.arg_size() - 1);
  for (Instruction &I : make_early_inc_range(instructions(version))) {
    auto *start = dyn_cast<VAStartInst>(&I);
    if (!start)
      continue;
    IRBuilder<> B(start);
    Value *list = start->getArgOperand(0);
    auto store = [&](Value *value, unsigned offset) {
      B.CreateAlignedStore(value, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), list, offset), Align(offset ? 4 : 8));
    };
    store(B.getInt32(48), 0);
    store(B.getInt32(176), 4);
    store(area, 8);
    store(ConstantPointerNull::get(B.getPtrTy()), 16);
    start->eraseFromParent();
  }
}

// Calls visit(argument number, offset, size) for each variable argument; returns the end.
template <typename Visit> static uint64_t layOut(const CallBase &CB, Align &most, Visit visit) {
  const DataLayout &DL = CB.getModule()->getDataLayout();
  uint64_t end = 0;
  for (unsigned i = CB.getFunctionType()->getNumParams(); i < CB.arg_size(); ++i) {
    Type *T = CB.isByValArgument(i) ? CB.getParamByValType(i) : CB.getArgOperand(i)->getType();
    uint64_t size = DL.getTypeAllocSize(T).getFixedValue();
    Align align = CB.isByValArgument(i) ? CB.getParamAlign(i).valueOrOne() : DL.getABITypeAlign(T);
    most = std::max(most, align);
    end = alignTo(end, std::max(align, Align(8)));
    visit(i, end, size);
    end += alignTo(size, 8);
  }
  return end;
}

uint64_t variableArgumentBytes(const CallBase &CB, Align &align) {
  return layOut(CB, align, [](unsigned, uint64_t, uint64_t) {});
}

// Registers hold an int with zeros above it, and many programs rely on that: they write 0 where a pointer is read, or 1
// where a long is. So the whole slot is written, because the block may hold something else from before.
static Value *fillSlot(Value *argument, IRBuilder<> &B) {
  bool narrow = argument->getType()->isIntegerTy() && argument->getType()->getIntegerBitWidth() < 64;
  return narrow ? B.CreateZExt(argument, B.getInt64Ty()) : argument;
}

void storeVariableArguments(const CallBase &CB, Value *area, Instruction *at) {
  IRBuilder<> B(at);
  Align align;
  layOut(CB, align, [&](unsigned i, uint64_t offset, uint64_t size) {
    Value *place = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), area, offset);
    Value *argument = CB.getArgOperand(i);
    if (CB.isByValArgument(i))
      B.CreateMemCpy(place, Align(8), argument, CB.getParamAlign(i).valueOrOne(), size);
    else
      B.CreateAlignedStore(fillSlot(argument, B), place, Align(8));
  });
}

} // namespace charcoal
