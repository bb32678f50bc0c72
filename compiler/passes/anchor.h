// Functions that call setjmp: their interruptible version stays on the native stack (struct ch_anchor in the ABI).
//
//   duplicate   gives the clone an anchor, begun at its entry, and tells it of each setjmp that has returned;
//   split       lets each call that was suspended be waited for on the stack (split_anchor.cpp).
#ifndef CHARCOAL_PASSES_ANCHOR_H
#define CHARCOAL_PASSES_ANCHOR_H

#include "abi.h"
#include "llvm/IR/Instructions.h"

namespace charcoal {

// On an interruptible version: it has an anchor.
inline constexpr llvm::StringLiteral AnchoredAttr = "charcoal-anchored";

// The function calls setjmp, and can be interruptible all the same.
bool canBeAnchored(const llvm::Function &);
// In such a function's clone, whose calls have been rewritten, before it gets yield points of its own.
void addAnchor(Abi &, llvm::Function &version);

} // namespace charcoal

#endif
