// The cycles of a part of the control-flow graph.
#ifndef CHARCOAL_PASSES_CYCLES_H
#define CHARCOAL_PASSES_CYCLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace llvm {
class BasicBlock;
}

namespace charcoal {

// The strongly connected parts with at least one edge of the graph that some blocks make up (Tarjan's algorithm).
// Every cycle of that graph lies in one of them. Takes time in proportion to the size of the graph.
std::vector<llvm::SmallVector<llvm::BasicBlock *>> cyclesAmong(llvm::ArrayRef<llvm::BasicBlock *> blocks);

} // namespace charcoal

#endif
