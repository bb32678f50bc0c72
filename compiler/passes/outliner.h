// What the files of pass `outline` share: the markers of the front end, and what clang's record of captured variables
// says. A helper is the function that clang made of a captured block. Its argument, the context, is the address of the
// record, which holds the address of each captured variable.
#ifndef CHARCOAL_PASSES_OUTLINER_H
#define CHARCOAL_PASSES_OUTLINER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace charcoal {

// The calls of __charcoal_spawn and __charcoal_async, by uid. The functions find them by uid and not by neighbourhood,
// because sanitizers put branches in between.
class Markers {
public:
  explicit Markers(llvm::Module &);
  // Returns null if there is none.
  llvm::CallInst *find(const llvm::Function &, llvm::StringRef name, uint64_t uid) const;
  void erase(llvm::CallInst *);

private:
  llvm::DenseMap<uint64_t, llvm::SmallVector<llvm::CallInst *, 1>> byUid;
};

// An `activate` or `async` statement.
struct Statement {
  uint64_t uid = 0;
  llvm::Function *helper = nullptr;
  llvm::SmallVector<llvm::CallInst *, 2> callers; // the calls of the helper; none if the statement is unreachable
  llvm::StructType *type = nullptr;               // of clang's record; null if there are no callers
};

// What the module asks the runtime to check.
struct Checks {
  bool spawned = false, neverWaits = false;
  llvm::SetVector<std::pair<llvm::Function *, llvm::AllocaInst *>> lent; // locals that activities use by reference
};

// ---- outline_captures.cpp: clang's record of captures ----

// Returns the record of the caller, which is a local; or null.
llvm::AllocaInst *recordOf(const llvm::CallInst &caller);
// Returns the values that hold the helper's context pointer: the argument itself, or what is loaded from where clang
// stored it.
llvm::SmallVector<llvm::Value *, 8> contexts(llvm::Function &helper);
// Returns the GEPs to field `k` of clang's record through a pointer to the record.
llvm::SmallVector<llvm::GetElementPtrInst *, 8> fieldPointers(llvm::Value *record, unsigned k);
// Returns what is stored in field `k`, which is the address of a captured variable; or null.
llvm::Value *storedField(llvm::AllocaInst *record, unsigned k);
// Returns the variable of the user's that has this storage; or null.
llvm::DILocalVariable *declaredVariable(llvm::Value *storage);
// Lets locals live until a scope is left, although their blocks may end before: the scope waits for those who have
// captured them. `start` is the statement that starts one of these. A local of fixed size lives until its function
// returns. Each local is dealt with once, so that many statements that use one take time in proportion to their number.
class Outliving {
public:
  // Does nothing if the variable is no local.
  void variable(llvm::Value *, llvm::Instruction &start, const llvm::Value *scope);
  // The locals whose addresses the variable may hold.
  void pointeesOf(llvm::Value *variable, llvm::Instruction &start, const llvm::Value *scope);

private:
  llvm::SmallPtrSet<const llvm::AllocaInst *, 16> variables; // without markers of a lifetime
  llvm::DenseMap<const llvm::AllocaInst *, llvm::SmallSetVector<llvm::AllocaInst *, 1>> pointees;
};
// Backtraces, profiles and the debugger show `f.activity` instead of clang's `__captured_stmt`.
void nameHelper(llvm::Function &helper, const llvm::Function &spawner, llvm::StringRef suffix);

// ---- outline_attributes.cpp ----

// Gives the helper the attributes by which the spawner says how its code is to be made.
void inheritAttributes(llvm::Function &helper, const llvm::Function &spawner);

// ---- the statements, each in the file of its name ----

void outlineActivate(Statement &, Markers &, Outliving &, Checks &);
void outlineAsync(Statement &, Markers &, Outliving &);
// The helper of a block for a thread of the pool, which begins with the marker, becomes plain code; its call becomes
// ch_offload(@helper, record).
void outlineOffload(llvm::CallInst *marker);

// ---- outline_checks.cpp ----

// Adds what the module does before it runs and at its functions' returns, if it is compiled with checks.
void addChecks(llvm::Module &, const Checks &);

} // namespace charcoal

#endif
