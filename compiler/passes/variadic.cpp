// See variadic.h. In the x86-64 ABI a va_list first walks through saved registers and then through the arguments that
// were passed in memory. Both lie on the native stack, and a suspended call has left that stack. So an interruptible
// version gets its variable arguments in a block of its caller's frame, which holds both: what the registers of a plain
// call would hold, as a variadic function saves it, and behind it what a plain call would pass in memory.
//
//     f(fmt, ...)   ~>   f.int(fmt, block)       struct block { u64 memory; u64 unused; save_area registers; ... }
//     va_start(ap)  ~>   ap = {8 * G, 48 + 16 * F, (char *)block + block->memory, &block->registers}
//
// G and F: the registers that the named arguments of a plain call take. Which arguments are in registers has to be as
// in a plain call, because va_arg rounds addresses for an aligned struct in memory only, and clang passes one in
// registers as two integers, which say nothing of the alignment.
//
// (System V ABI, AMD64, section 3.5.7. clang's va_arg takes a struct in pieces from registers only if all pieces fit.)
#include "variadic.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
#include <optional>

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

namespace {

constexpr uint64_t savedAt = 16, integerBytes = 48, savedBytes = 176;

// The next register of each kind, by its offset in the save area.
struct Registers {
  uint64_t integer = 0, vector = integerBytes;

  // Takes the registers for a value. Returns the offset of the first one, or nothing if the value goes to memory.
  std::optional<uint64_t> take(Type *T) {
    uint64_t bits = T->isPointerTy() ? 64 : T->getPrimitiveSizeInBits().getKnownMinValue();
    if (T->isIntegerTy() || T->isPointerTy())
      return bits > 128 ? std::nullopt : take(integer, bits > 64 ? 16 : 8, integerBytes);
    if ((T->isFloatingPointTy() && !T->isX86_FP80Ty()) || (isa<FixedVectorType>(T) && bits <= 128))
      return take(vector, 16, savedBytes);
    return std::nullopt;
  }

private:
  static std::optional<uint64_t> take(uint64_t &next, uint64_t size, uint64_t end) {
    if (next + size > end)
      return std::nullopt;
    next += size;
    return next - size;
  }
};

// The registers that are left after a named argument.
void passNamed(Registers &registers, Type *T, bool byVal, bool isStaticChain) {
  if (byVal || isStaticChain)
    return;
  if (!T->isAggregateType()) {
    // A vector of any length has one register if the target has such vectors.
    auto *vector = dyn_cast<FixedVectorType>(T);
    registers.take(vector ? Type::getDoubleTy(T->getContext()) : T);
    return;
  }
  const unsigned count = T->isArrayTy() ? T->getArrayNumElements() : T->getStructNumElements();
  for (unsigned i = 0; i < count; ++i)
    passNamed(registers, GetElementPtrInst::getTypeAtIndex(T, uint64_t(i)), false, false);
}

} // namespace

bool lowerVaStart(Function &version) {
  bool found = false;
  Value *block = version.getArg(version.arg_size() - 1);
  Registers registers;
  for (Argument &argument : drop_end(version.args()))
    passNamed(registers, argument.getType(), argument.hasByValAttr(), argument.hasNestAttr());
  for (Instruction &I : make_early_inc_range(instructions(version))) {
    auto *start = dyn_cast<VAStartInst>(&I);
    if (!start)
      continue;
    IRBuilder<> B(start);
    Value *list = start->getArgOperand(0);
    auto store = [&](Value *value, unsigned offset) {
      B.CreateAlignedStore(value, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), list, offset), Align(offset ? 4 : 8));
    };
    store(B.getInt32(registers.integer), 0);
    store(B.getInt32(registers.vector), 4);
    store(B.CreateInBoundsPtrAdd(block, B.CreateAlignedLoad(B.getInt64Ty(), block, Align(8))), 8);
    store(B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), block, savedAt), 16);
    start->eraseFromParent();
    found = true;
  }
  return found;
}

namespace {

struct Layout {
  uint64_t memory; // where the arguments begin that are not in registers
  uint64_t end;
};

// Calls visit(argument number, offset, size) for each variable argument.
template <typename Visit> Layout layOut(const CallBase &CB, Align &most, Visit visit) {
  const DataLayout &DL = CB.getModule()->getDataLayout();
  const unsigned named = CB.getFunctionType()->getNumParams();
  Registers registers;
  for (unsigned i = 0; i < named; ++i)
    passNamed(registers, CB.getArgOperand(i)->getType(), CB.isByValArgument(i), CB.paramHasAttr(i, Attribute::Nest));
  const uint64_t namedVectors = registers.vector;
  struct InMemory {
    unsigned argument;
    uint64_t size;
    Align align;
  };
  SmallVector<InMemory> inMemory;
  for (unsigned i = named; i < CB.arg_size(); ++i) {
    const bool byVal = CB.isByValArgument(i);
    Type *T = byVal ? CB.getParamByValType(i) : CB.getArgOperand(i)->getType();
    const uint64_t size = DL.getTypeAllocSize(T).getFixedValue();
    if (std::optional<uint64_t> place = byVal ? std::nullopt : registers.take(T))
      visit(i, savedAt + *place, size);
    else
      inMemory.push_back({i, size, byVal ? CB.getParamAlign(i).valueOrOne() : DL.getABITypeAlign(T)});
  }
  for (const InMemory &argument : inMemory)
    most = std::max(most, argument.align);
  Layout result;
  result.memory = alignTo(savedAt + (registers.vector > namedVectors ? savedBytes : integerBytes), most);
  result.end = result.memory;
  for (const InMemory &argument : inMemory) {
    result.end = alignTo(result.end, std::max(argument.align, Align(8)));
    visit(argument.argument, result.end, argument.size);
    result.end += alignTo(argument.size, 8);
  }
  return result;
}

} // namespace

uint64_t variableArgumentBytes(const CallBase &CB, Align &align) {
  return layOut(CB, align, [](unsigned, uint64_t, uint64_t) {}).end;
}

// Registers hold an int with zeros above it, and many programs rely on that: they write 0 where a pointer is read, or 1
// where a long is. So the whole slot is written, because the block may hold something else from before.
static Value *fillSlot(Value *argument, IRBuilder<> &B) {
  bool narrow = argument->getType()->isIntegerTy() && argument->getType()->getIntegerBitWidth() < 64;
  return narrow ? B.CreateZExt(argument, B.getInt64Ty()) : argument;
}

// The stores are volatile, because LLVM's vectoriser otherwise looks at all pairs of the stores into one block, in
// vain: a function of 1,200 calls took 14 s. Nothing is lost by that, since each store is needed.
void storeVariableArguments(const CallBase &CB, Value *area, Instruction *at) {
  IRBuilder<> B(at);
  Align align(16);
  Layout layout = layOut(CB, align, [&](unsigned i, uint64_t offset, uint64_t size) {
    Value *place = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), area, offset);
    Value *argument = CB.getArgOperand(i);
    if (CB.isByValArgument(i))
      B.CreateMemCpy(place, Align(8), argument, CB.getParamAlign(i).valueOrOne(), size);
    else
      B.CreateAlignedStore(fillSlot(argument, B), place, Align(8), /*isVolatile=*/true);
  });
  B.CreateAlignedStore(B.getInt64(layout.memory), area, Align(8));
}

} // namespace charcoal
