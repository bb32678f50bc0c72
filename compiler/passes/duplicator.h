// What the files of pass `duplicate` share.
#ifndef CHARCOAL_PASSES_DUPLICATOR_H
#define CHARCOAL_PASSES_DUPLICATOR_H

#include "abi.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <string>

namespace charcoal {

// The interruptible version of each plain function that has one.
using Versions = llvm::MapVector<llvm::Function *, llvm::Function *>;

// Gives the call, which goes to an interruptible version, the attributes of a call that may suspend, in place of those
// that only hold in plain code.
void markSuspending(llvm::CallBase &, bool unprototyped);

// ---- duplicate_clone.cpp: versions that are clones ----

// The functions with __attribute__((annotate("charcoal.replaces=read"))), whose interruptible version is called
// read.int, and the names that they replace.
using ReplacedNames = llvm::DenseMap<const llvm::Function *, std::string>;
ReplacedNames readReplacedNames(const llvm::Module &);
llvm::Function *cloneVersion(llvm::Function &, const ReplacedNames &);
// Attributes that are wrong for parameters of an interruptible version. On x86-64 the address for a result is passed as
// any pointer is; other calling conventions need the attribute.
llvm::SmallVector<llvm::Attribute::AttrKind, 3> droppedOfParameters(const llvm::Module &);

// ---- duplicate_forward.cpp: versions that call another function ----

// Another module calls an alias by the alias's name. If the alias is weak the name may mean another function there. So
// its version is a function of its own, which `split` guards. It has none if it is variadic (suspension.cpp).
void addVersionsOfAliases(llvm::Module &, const Versions &);
// Many programs call malloc and free through pointers. Without a version each such call would look for one in vain.
// `bounded` tells which functions of the C library surely come back soon.
void addVersionsForPointers(llvm::Module &, Versions &, llvm::function_ref<bool(const llvm::Function &)> bounded);
// Other modules would call the runtime's version of a function of the C library that is defined here.
void addVersionsInPlaceOfReplacements(llvm::Module &, Versions &);
// Each call of ch_spawn gets the interruptible version of the activity's body.
void bindActivities(llvm::Module &, Versions &);
// The C library calls main; main hands over to the runtime, which runs the interruptible version as first activity.
void renameMain(Abi &, Versions &);

// ---- duplicate_yields.cpp: yield points ----

// Puts a yield point before the instruction, one that is always taken, or one that is taken when the slice is over.
llvm::CallInst *yieldBefore(llvm::Instruction *, bool always);
// Gives an interruptible version a yield point at its entry, and one to each cycle that needs one.
void insertYields(llvm::Function &version);
// Lowers the statement `yield;`, which has no effect in plain versions and atomic regions.
void lowerExplicitYields(llvm::Module &);

} // namespace charcoal

#endif
