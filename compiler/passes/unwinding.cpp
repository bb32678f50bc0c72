// Pass `unwinding`: with -fexceptions an exception passes the dialect's blocks as it does without that option.
//
//   takes   the module as clang made it
//   leaves  landing pads only where the program itself has something to do, such as its own cleanups
//
//     invoke void @f() to label %next unwind label %pad    =>    call void @f()
//   pad:                                                         br label %next
//     landingpad { ptr, i32 } cleanup
//     call void @__charcoal_atomic_leave(ptr %a)
//     resume ...
//
// The ways out of `atomic`, `do … finish` and their like are cleanups (syntax/forms), which -fexceptions also runs for
// exceptions of other languages. A function with a landing pad has only a plain version (suspension.cpp), so a program
// whose packager sets this option for everything would be sequential. Without the option no cleanup runs for an
// exception either.
#include "unwinding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace charcoal {

// The cleanups of syntax/forms, by the names that dialect.h and events.h give them. A program's own cleanup is not
// taken for one of them, whatever it is called.
static bool isWayOut(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && is_contained({"__charcoal_atomic_leave", "__charcoal_policy_leave", "__charcoal_no_yield_leave",
                                 "ch_scope_leave", "ch_wait_leave", "ch_clause_leave", "ch_rendezvous_span_leave",
                                 "ch_twait_block_leave", "ch_event_anchor_leave"},
                                callee->getName());
}

// What stands on the way from a landing pad to `resume` for the dialect's blocks alone.
static bool isOfDialect(const Instruction &I) {
  if (auto *pad = dyn_cast<LandingPadInst>(&I))
    return pad->isCleanup() && pad->getNumClauses() == 0;
  if (auto *call = dyn_cast<CallBase>(&I))
    return isWayOut(*call) || isa<LifetimeIntrinsic>(call) || isa<DbgInfoIntrinsic>(call);
  if (auto *branch = dyn_cast<BranchInst>(&I))
    return branch->isUnconditional();
  if (auto *store = dyn_cast<StoreInst>(&I))
    return isa<AllocaInst>(store->getPointerOperand()); // clang keeps the exception in a local
  return isa<ExtractValueInst>(I) || isa<InsertValueInst>(I) || isa<LoadInst>(I) || isa<ResumeInst>(I);
}

// A way out that may throw itself has a landing pad that ends the program.
static const BasicBlock *after(const BasicBlock &BB) {
  auto *invoke = dyn_cast<InvokeInst>(BB.getTerminator());
  return invoke ? invoke->getNormalDest() : BB.getSingleSuccessor();
}

static bool onlyLeavesBlocks(const BasicBlock &pad) {
  SmallPtrSet<const BasicBlock *, 8> seen;
  for (const BasicBlock *BB = &pad; BB && seen.insert(BB).second; BB = after(*BB))
    if (!all_of(*BB, isOfDialect))
      return false;
  return true;
}

PreservedAnalyses UnwindingPass::run(Module &M, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &F : M) {
    SmallVector<BasicBlock *> leaving;
    for (BasicBlock &BB : F)
      if (auto *invoke = dyn_cast<InvokeInst>(BB.getTerminator()); invoke && onlyLeavesBlocks(*invoke->getUnwindDest()))
        leaving.push_back(&BB);
    for (BasicBlock *BB : leaving)
      removeUnwindEdge(BB);
    if (!leaving.empty())
      removeUnreachableBlocks(F);
    changed |= !leaving.empty();
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
