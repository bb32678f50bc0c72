// Analysis: which functions have an interruptible version, and how a call in interruptible code is made.
// It changes nothing.
#ifndef CHARCOAL_PASSES_SUSPENSION_H
#define CHARCOAL_PASSES_SUSPENSION_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace charcoal {

enum class CallKind {
  Plain,      // the plain version, as it stands: it is bounded, or nothing of it could be interrupted
  PlainYield, // the plain version, with a yield point before it: it may take long but has no interruptible version
  Variadic,   // as Direct, of a function that takes variable arguments
  ExternalVariadic, // as External, of such a function
  Direct,           // the interruptible version of a function of this module
  External,         // the interruptible version of a function of another module, if there is one
  Lookup,           // whatever the address has
};

class Suspension {
public:
  explicit Suspension(llvm::Module &);

  // Functions of this module that get an interruptible version, in module order.
  const std::vector<llvm::Function *> &versions() const { return chosen; }
  CallKind classify(const llvm::CallBase &) const;
  // Whether such a function always returns soon. It has its version only for calls from elsewhere.
  bool isBounded(const llvm::Function &F) const { return !versionSet.contains(&F); }
  // A function of the C library, by its name and type, that always returns soon.
  bool isBoundedLibraryFunction(const llvm::Function &declaration) const;

private:
  const char *whyPlain(llvm::Function &) const;
  void findLookedAt();
  bool isChecking(const llvm::Function &) const;
  bool mayBlock(const llvm::Function &declaration) const;
  bool loopsOverCalls(llvm::Function &) const;

  llvm::Module &M;
  llvm::TargetLibraryInfoImpl libraryInfo;
  std::vector<llvm::Function *> chosen;
  llvm::DenseSet<const llvm::Function *> versionSet;
  llvm::DenseSet<const llvm::Function *> refused;  // functions that may take long, but have only a plain version
  llvm::DenseSet<const llvm::Function *> lookedAt; // functions whose native frames are looked at by a function that
                                                   // they call
  llvm::DenseSet<const llvm::Function *> withUnsavable, movingStack, definingNames, handingOver, allocating;
  bool setjmpHasAddress, exceptions;
  mutable llvm::DenseMap<const llvm::Function *, bool> mayBlockCache;
};

// Whether the module defines a function of the C library for which the runtime has an interruptible version. That one
// is weak, so it is not linked if this module has one.
bool isInPlaceOfReplacement(const llvm::Function &);

// Functions that have values which the code generator cannot keep in memory beyond the instructions next to those that
// make them, or will have them by inlining: of AMX's type, and what AArch64 loads into eight registers at once.
llvm::DenseSet<const llvm::Function *> functionsWithUnsavableValues(const llvm::Module &);
// Functions that change the stack pointer themselves, or may do so, or will by inlining.
llvm::DenseSet<const llvm::Function *> functionsThatMoveTheStack(const llvm::Module &);
// Functions whose inline assembly names a place or a macro, which a copy of the assembly would name once more.
llvm::DenseSet<const llvm::Function *> functionsThatDefineNames(const llvm::Module &);
// The instances of std::call_once of GNU's C++ library. They hand a function to the one that pthread_once runs, by two
// variables of the thread, which another activity would overwrite if it called std::call_once in between.
llvm::DenseSet<const llvm::Function *> functionsThatHandOver(const llvm::Module &);

// Whether the module takes the address of a function that returns twice. Then any call through a pointer may be a call
// of that function.
bool addressOfSetjmpIsTaken(const llvm::Module &);
bool callsThroughPointer(const llvm::Function &);
bool mayReturnTwice(const llvm::CallBase &, bool setjmpHasAddress);

} // namespace charcoal

#endif
