// Makes the small functions by which interruptible code and other code call each other, one for each signature.
#ifndef CHARCOAL_PASSES_GLUE_H
#define CHARCOAL_PASSES_GLUE_H

#include "abi.h"
#include "llvm/ADT/DenseMap.h"

namespace charcoal {

// How an interruptible call is made: types and the attributes of parameters that the calling convention sees.
struct Signature {
  llvm::Type *result; // T, not {status, T}
  llvm::SmallVector<llvm::Type *> params;
  llvm::SmallVector<llvm::AttributeSet> attributes;
  llvm::AttributeSet resultAttributes;
  bool unprototyped = false;  // the plain callee is called as `T f()`
  const llvm::Function *user; // whose target features hold

  static Signature of(const llvm::CallBase &);
  static Signature of(const llvm::Function &);
  llvm::FunctionType *plainType() const;
  llvm::FunctionType *versionType(Abi &) const;
  // An interruptible version takes the address of a by-value argument, and copies it before it can be suspended.
  llvm::AttributeList versionAttributes(llvm::LLVMContext &) const;
  llvm::AttributeList plainAttributes(llvm::LLVMContext &) const;
  std::string mangled(const llvm::DataLayout &) const;
};

// A function that the linker may share between modules must not use instructions that only one of them may use. So its
// name tells the processor that `user` is compiled for: by a suffix, which is empty for the usual one.
std::string suffixOfTarget(const llvm::Function &user);
// Makes a function that was added to the module one for the same processor.
void copyTarget(llvm::Function &to, const llvm::Function &user);

class Glue {
public:
  explicit Glue(Abi &abi) : abi(abi), M(abi.M) {}

  // A function whose entry check has fired makes a tail call to this thunk, with its own arguments and with its
  // address, which is in ch_tls.entry or is one argument more. The thunk saves the arguments and gives way. When it is
  // resumed it calls the function.
  llvm::Function *entryThunk(const Signature &);
  // The value of struct ch_frame_info.resume for functions of this result type or, if they make calls in tail position,
  // of this signature.
  llvm::Function *resumeStub(const Signature &, bool callsInTailPosition);
  // An adapter for calls through pointers, which calls the plain function ch_tls.callee.
  llvm::Function *adapter(const Signature &);
  // The symbol that stands for a function of another module. It calls `version` if some module defines that, and
  // `plain` otherwise. If the module that defines the function is linked into the same program and has a version of
  // this signature, the linker makes the symbol that version (bindDirectly).
  llvm::GlobalValue *external(const Signature &, llvm::Function *plain, llvm::Function *version);
  // The calls that other modules of this program make of a function that is defined here go to its version at once.
  void bindDirectly(const Signature &, llvm::Function *version);

  // The interruptible version of a weak function or alias, under its public name. It calls `own` if the linker has
  // chosen this module's plain function, and otherwise the plain function that it has chosen.
  void guardWeak(const Signature &, llvm::GlobalValue *plain, llvm::Function *own);

  // The check that stands at every entry: branches to a cold block that is returned, and leaves the builder at the warm
  // path.
  llvm::BasicBlock *entryCheck(llvm::IRBuilder<> &B, llvm::Function *F);
  // Gives way in a cold block, before `self` has begun. `arguments` says where the arguments are if they are no longer
  // in the parameters.
  void yieldAtEntry(llvm::IRBuilder<> &B, llvm::Function *self, const Signature &,
                    llvm::ArrayRef<llvm::Value *> arguments = {});

  // Ends the block by handing the arguments of its function on to another one of that type. The call is a jump where
  // the code generator can make one.
  void handOn(llvm::IRBuilder<> &B, llvm::Value *callee, llvm::AttributeList, const Signature &,
              llvm::ArrayRef<llvm::Value *> arguments = {});

  llvm::GlobalVariable *frameInfo(const llvm::Twine &name, llvm::Constant *resume, llvm::Constant *fn,
                                  llvm::Constant *text, llvm::Constant *file, llvm::Constant *lines, unsigned points,
                                  unsigned size, unsigned image, unsigned align, unsigned flags, unsigned asyncs = 0,
                                  llvm::Constant *inlined = nullptr);
  llvm::Constant *string(llvm::StringRef);

private:
  llvm::CallInst::TailCallKind tailCallKind(const Signature &) const;
  std::string nameOfDirect(const Signature &, const llvm::Function &version) const;
  llvm::Function *askingExternal(llvm::StringRef name, const Signature &, llvm::Function *plain,
                                 llvm::Function *version);
  llvm::Function *start(const llvm::Twine &name, llvm::FunctionType *, const Signature &, bool &isNew);
  Abi &abi;
  llvm::Module &M;
  llvm::StringMap<llvm::Constant *> strings;
};

} // namespace charcoal

#endif
