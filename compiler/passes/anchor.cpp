// See anchor.h.
#include "anchor.h"
#include "async.h"
#include "atomic.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace charcoal {

// The size of glibc's jmp_buf; 0 where the runtime has not been tried with it.
static uint64_t sizeOfJmpBufOn(const Triple &target) {
  if (!target.isOSLinux())
    return 0;
  return target.getArch() == Triple::x86_64 ? 200 : target.getArch() == Triple::aarch64 ? 312 : 0;
}

// The runtime writes to the end of the buffer (struct token in sched/anchor.c), so this must not be a shorter one:
// pthread_cleanup_push calls __sigsetjmp with what pthread_exit needs of a buffer, 104 bytes on x86-64.
static bool holdsJmpBuf(const CallBase &CB) {
  const uint64_t sizeOfJmpBuf = sizeOfJmpBufOn(Triple(CB.getModule()->getTargetTriple()));
  ObjectSizeOpts smallest;
  smallest.EvalMode = ObjectSizeOpts::Mode::Min;
  uint64_t size = 0;
  return !getObjectSize(CB.getArgOperand(0), size, CB.getDataLayout(), nullptr, smallest) || size >= sizeOfJmpBuf;
}

// Whether this is one of the C library's functions whose buffers the runtime knows. Other functions that return twice,
// such as vfork, are not. Nor is a sigsetjmp that saves the signal mask: a signal handler is going to jump to it, and
// must find the call that waits on the same stack.
static bool isSetjmp(const CallBase &CB) {
  const Function *F = CB.getCalledFunction();
  if (!F || !F->isDeclaration() || !isa<CallInst>(CB))
    return false;
  if (CB.arg_empty() || !CB.getArgOperand(0)->getType()->isPointerTy() || !CB.getType()->isIntegerTy(32))
    return false; // the program has declared a function of its own
  if (CB.arg_size() == 1)
    return is_contained({"setjmp", "_setjmp"}, F->getName());
  auto *savesMask = CB.arg_size() == 2 ? dyn_cast<ConstantInt>(CB.getArgOperand(1)) : nullptr;
  return savesMask && savesMask->isZero() && is_contained({"sigsetjmp", "__sigsetjmp"}, F->getName());
}

bool canBeAnchored(const Function &F) {
  if (sizeOfJmpBufOn(Triple(F.getParent()->getTargetTriple())) == 0)
    return false;
  if (F.hasFnAttribute(Attribute::SanitizeThread)) // ThreadSanitizer aborts at a longjmp to another stack
    return false;
  return all_of(instructions(F), [](const Instruction &I) {
    auto *CB = dyn_cast<CallBase>(&I);
    if (!CB)
      return true;
    if (CB->hasFnAttr(Attribute::ReturnsTwice))
      return isSetjmp(*CB) && holdsJmpBuf(*CB);
    return !isAsync(*CB) && !CB->isMustTailCall();
  });
}

void addAnchor(Abi &abi, Function &F) {
  F.addFnAttr(AnchoredAttr);
  BasicBlock &entry = F.getEntryBlock();
  IRBuilder<> B(&*entry.getFirstNonPHIIt());
  AllocaInst *anchor = B.CreateAlloca(ArrayType::get(abi.I8, sizeof(struct ch_anchor)), nullptr, "anchor");
  anchor->setAlignment(Align(16));
  B.SetInsertPoint(&*entry.getFirstNonPHIOrDbgOrAlloca());
  B.CreateCall(abi.anchorBegin(), {anchor, ConstantPointerNull::get(abi.Ptr)}); // `split` sets the description
  AtomicDepth depth(F);
  for (BasicBlock &BB : F)
    depth.walk(BB, [&](Instruction &I, unsigned level) {
      auto *CB = dyn_cast<CallBase>(&I);
      if (!CB || !isSetjmp(*CB))
        return;
      IRBuilder<> behind(CB->getNextNode());
      behind.SetCurrentDebugLocation(CB->getDebugLoc());
      behind.CreateCall(abi.anchorSet(), {anchor, CB->getArgOperand(0), CB, B.getInt32(level)});
    });
}

} // namespace charcoal
