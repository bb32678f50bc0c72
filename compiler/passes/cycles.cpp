// See cycles.h.
#include "cycles.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace charcoal {

std::vector<SmallVector<BasicBlock *>> cyclesAmong(ArrayRef<BasicBlock *> blocks) {
  struct State {
    unsigned number = 0, low = 0; // 0: not visited yet
    bool open = false;            // on the stack
  };
  DenseMap<BasicBlock *, State> states;
  for (BasicBlock *BB : blocks)
    states[BB];
  std::vector<SmallVector<BasicBlock *>> result;
  SmallVector<BasicBlock *> stack;
  SmallVector<std::pair<BasicBlock *, succ_iterator>> path;
  unsigned count = 0;
  auto enter = [&](BasicBlock *BB) {
    states[BB] = {++count, count, true};
    stack.push_back(BB);
    path.push_back({BB, succ_begin(BB)});
  };
  for (BasicBlock *root : blocks) {
    if (!states[root].number)
      enter(root);
    while (!path.empty()) {
      auto &[BB, next] = path.back();
      if (next != succ_end(BB)) {
        BasicBlock *to = *next++;
        auto found = states.find(to);
        if (found == states.end())
          continue;
        if (!found->second.number)
          enter(to);
        else if (found->second.open)
          states[BB].low = std::min(states[BB].low, found->second.number);
        continue;
      }
      BasicBlock *done = BB;
      path.pop_back();
      const State state = states[done];
      if (!path.empty())
        states[path.back().first].low = std::min(states[path.back().first].low, state.low);
      if (state.low != state.number)
        continue;
      SmallVector<BasicBlock *> part;
      BasicBlock *member;
      do {
        member = stack.pop_back_val();
        states[member].open = false;
        part.push_back(member);
      } while (member != done);
      if (part.size() > 1 || is_contained(successors(done), done))
        result.push_back(std::move(part));
    }
  }
  return result;
}

} // namespace charcoal
