// What the files of pass `atomicity` share.
#ifndef CHARCOAL_PASSES_ATOMICITY_INSTRUMENTER_H
#define CHARCOAL_PASSES_ATOMICITY_INSTRUMENTER_H

#include "abi.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

namespace charcoal {

// The variables and functions that are annotated ch_may_interleave.
class Unchecked {
public:
  explicit Unchecked(llvm::Module &);
  bool contains(const llvm::GlobalVariable &variable) const { return variables.contains(variable.getName()); }
  // Whether the instruction stands in such a function, or was inlined from one.
  bool contains(const llvm::Instruction &) const;

private:
  llvm::StringSet<> variables, functions;
};

// ---- atomicity_places.cpp ----

// The struct ch_access_place of each place in the source text.
class Places {
public:
  explicit Places(Abi &abi) : abi(abi) {}
  using RestsOn = llvm::SmallVector<llvm::Constant *, CH_RESTS_ON>;
  // `how`: of enum ch_access_flags, without CH_ACCESS_TESTED.
  llvm::Constant *of(const llvm::Instruction &, const llvm::Value *object, uint64_t size, unsigned how,
                     const RestsOn &restsOn = {});

private:
  llvm::Constant *call(const llvm::DILocation *);
  llvm::Constant *make(const llvm::DILocation *, llvm::StringRef function, llvm::StringRef variable, uint64_t size,
                       const RestsOn &, unsigned flags = 0);
  llvm::Constant *text(llvm::StringRef);

  Abi &abi;
  llvm::StringMap<llvm::Constant *> texts;
  using Key = std::pair<const llvm::DILocation *, std::pair<const void *, uint64_t>>;
  llvm::DenseMap<Key, llvm::Constant *> known;
};

// Collects the loads from which the value was computed. Without optimisation the search goes through local variables.
void collectReads(llvm::Value *, llvm::SmallPtrSetImpl<llvm::Value *> &seen,
                  llvm::SmallVectorImpl<llvm::LoadInst *> &reads);

// ---- the pass ----

// Returns the debug location of what is inserted beside the instruction.
llvm::DebugLoc placeOf(const llvm::Instruction &);

// Inserts the calls that report accesses.
class Instrumenter {
public:
  explicit Instrumenter(llvm::Module &M) : M(M), abi(M), unchecked(M), places(abi) {}
  bool run();

private:
  // ---- atomicity.cpp ----
  void function(llvm::Function &);
  bool isShared(const llvm::Value *pointer);
  unsigned howReached(llvm::Value *pointer);
  void access(llvm::Instruction &, llvm::Value *pointer, llvm::Type *, bool reads, bool writes);
  void range(llvm::Instruction &, llvm::Value *pointer, llvm::Value *size, bool writes);
  void callBefore(llvm::Instruction &, llvm::StringRef name, llvm::ArrayRef<llvm::Value *>);
  void callAfter(llvm::Instruction &, llvm::StringRef name, llvm::ArrayRef<llvm::Value *>);
  llvm::FunctionCallee hook(llvm::StringRef name, llvm::ArrayRef<llvm::Value *>);
  llvm::Value *activation();

  // ---- atomicity_calls.cpp ----
  void order(llvm::CallInst &);
  void memory(llvm::CallInst &);
  void memoryThroughPointers();
  void locals(llvm::Function &);

  llvm::Module &M;
  Abi abi;
  Unchecked unchecked;
  Places places;
  llvm::DenseMap<const llvm::AllocaInst *, bool> escapes; // of the function at hand
  llvm::Function *F = nullptr;                            // the function at hand
  bool suspends = false;                                  // it can be suspended
  llvm::CallInst *entered = nullptr;                      // its call of ch_atomicity_enter, once there is one
  bool changed = false;
};

} // namespace charcoal

#endif
