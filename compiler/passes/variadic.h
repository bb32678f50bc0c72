// Variable arguments of interruptible versions. See variadic.cpp.
#ifndef CHARCOAL_PASSES_VARIADIC_H
#define CHARCOAL_PASSES_VARIADIC_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace charcoal {

// Whether this target's variable arguments can be passed in a block.
bool supportsVariadicVersions(const llvm::Module &);
// The type of the interruptible version (before `split`) of a variadic function: a pointer instead of the dots.
llvm::FunctionType *variadicVersionType(const llvm::FunctionType &);
// Makes va_start, in the clone, read from the pointer that is the last parameter. Returns whether there is one.
bool lowerVaStart(llvm::Function &version);
// Returns the size in bytes of the block that a call needs, and the alignment that it must have because va_arg rounds
// addresses.
uint64_t variableArgumentBytes(const llvm::CallBase &, llvm::Align &align);
// Fills the block at `area` by code before `at`.
void storeVariableArguments(const llvm::CallBase &, llvm::Value *area, llvm::Instruction *at);

} // namespace charcoal

#endif
