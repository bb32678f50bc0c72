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

class Glue {
public:
  explicit Glue(Abi &abi) : abi(abi), M(abi.M) {}

  // Called as a tail call with the arguments of a function whose entry check has fired, ch_tls.entry being that
  // function: saves the arguments and gives way; resumed, calls the function.
  llvm::Function *entryThunk(const Signature &);
  // struct ch_frame_info.resume for functions of this result type; if they make calls in tail position, of this
  // signature.
  llvm::Function *resumeStub(const Signature &, bool callsInTailPosition);
  // Calls the plain function ch_tls.callee.
  llvm::Function *adapter(const Signature &);
  // The symbol that stands for a function of another module. It calls `version` if some module defines that, and
  // `plain` otherwise. If the module that defines the function is linked into the same program and has a version of
  // this signature, the linker makes the symbol that version (bindDirectly).
  llvm::GlobalValue *external(const Signature &, llvm::Function *plain, llvm::Function *version);
  // The calls that other modules of this program make of a function that is defined here go to its version at once.
  void bindDirectly(const Signature &, llvm::StringRef plain, llvm::Function *version);

  // The interruptible version, under its public name, of a weak function or alias: `own` if the plain function that won
  // is this module's, else a call of the winner.
  void guardWeak(const Signature &, llvm::GlobalValue *plain, llvm::Function *own);

  // The check that stands at every entry: branches to a cold block that is returned, and leaves the builder at the warm
  // path.
  llvm::BasicBlock *entryCheck(llvm::IRBuilder<> &B, llvm::Function *F);
  // In a cold block: gives way before `self` has begun. `arguments`: where they are, if not in the parameters.
  void yieldAtEntry(llvm::IRBuilder<> &B, llvm::Function *self, const Signature &,
                    llvm::ArrayRef<llvm::Value *> arguments = {});

  llvm::GlobalVariable *frameInfo(const llvm::Twine &name, llvm::Constant *resume, llvm::Constant *fn,
                                  llvm::Constant *text, llvm::Constant *file, llvm::Constant *lines, unsigned points,
                                  unsigned size, unsigned image, unsigned align, unsigned flags, unsigned asyncs = 0,
                                  llvm::Constant *inlined = nullptr);
  llvm::Constant *string(llvm::StringRef);

private:
  void handOn(llvm::IRBuilder<> &B, llvm::Value *callee, llvm::AttributeList, const Signature &,
              llvm::ArrayRef<llvm::Value *> arguments = {});
  std::string nameOfDirect(const Signature &, llvm::StringRef plain) const;
  llvm::Function *askingExternal(llvm::StringRef name, const Signature &, llvm::Function *plain,
                                 llvm::Function *version);
  llvm::Function *start(const llvm::Twine &name, llvm::FunctionType *, const Signature &, bool &isNew);
  Abi &abi;
  llvm::Module &M;
  llvm::StringMap<llvm::Constant *> strings;
};

} // namespace charcoal

#endif
