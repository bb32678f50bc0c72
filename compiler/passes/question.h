// A marker between the passes `strips` and `split`: whether a yield point would be taken now. A loop that asks this,
// and gives way outside of itself, is optimised like a loop of plain C.
#ifndef CHARCOAL_PASSES_QUESTION_H
#define CHARCOAL_PASSES_QUESTION_H

#include "llvm/IR/Module.h"

namespace charcoal {

// i1 charcoal.asked(). It looks at memory that the program cannot reach, and changes it, so that each turn asks anew.
inline constexpr llvm::StringLiteral AskedName = "charcoal.asked";

inline llvm::FunctionCallee askedFunction(llvm::Module &M) {
  llvm::FunctionCallee marker = M.getOrInsertFunction(AskedName, llvm::Type::getInt1Ty(M.getContext()));
  if (auto *F = llvm::dyn_cast<llvm::Function>(marker.getCallee())) {
    for (llvm::Attribute::AttrKind kind :
         {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoFree, llvm::Attribute::NoCallback})
      F->addFnAttr(kind);
    F->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  }
  return marker;
}

} // namespace charcoal

#endif
