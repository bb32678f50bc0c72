// How `async` travels from `outline` to `split`: as an operand bundle on the call of the statement's body,
//
//   call void @f.async(ptr %x) [ "charcoal.async"(ptr %scope, ptr %x) ]
//
// The optimiser keeps the bundle, does not inline the call, and assumes that the operands are captured. This is right,
// because the body may still read and write them after the call has returned to a caller that goes on. In plain code
// `async S` means S, so there the bundle is removed, and the body is inlined like any function that is called once.
#ifndef CHARCOAL_PASSES_ASYNC_H
#define CHARCOAL_PASSES_ASYNC_H

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace charcoal {

inline constexpr llvm::StringLiteral AsyncBundle = "charcoal.async";

inline bool isAsync(const llvm::CallBase &CB) { return CB.getOperandBundle(AsyncBundle).has_value(); }
// The finish scope to which the branch will belong.
inline llvm::Value *asyncScope(const llvm::CallBase &CB) { return CB.getOperandBundle(AsyncBundle)->Inputs[0]; }
inline bool hasOtherBundles(const llvm::CallBase &CB) { return CB.getNumOperandBundles() > (isAsync(CB) ? 1 : 0); }

// Replaces a call by one with the bundle, or without.
llvm::CallInst *makeAsync(llvm::CallInst &, llvm::Value *scope);
void makeOrdinary(llvm::CallInst &);

// If the body that an async call calls is itself one simple call, calls that directly: `async f(x)` costs what f(x)
// costs.
void shorten(llvm::CallInst &async);

// A body that never ends, such as a server's loop, is a function that never returns. But its call does return, when the
// body has been set aside, so the optimiser must not take the code after the call for unreachable. These passes run
// before the optimiser could do that, and prevent it.
struct AsyncsReturnInFunctions : llvm::PassInfoMixin<AsyncsReturnInFunctions> {
  llvm::PreservedAnalyses run(llvm::LazyCallGraph::SCC &, llvm::CGSCCAnalysisManager &, llvm::LazyCallGraph &,
                              llvm::CGSCCUpdateResult &);
  static bool isRequired() { return true; }
};
struct AsyncsReturn : llvm::PassInfoMixin<AsyncsReturn> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace charcoal

#endif
