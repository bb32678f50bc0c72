// See crossing.h.
#include "crossing.h"
#include "addresses.h"
#include "options.h"
#include "suspension_markers.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

using namespace llvm;

namespace charcoal {

BasicBlock *blockOfUse(const Use &U) {
  auto *I = cast<Instruction>(U.getUser());
  auto *phi = dyn_cast<PHINode>(I);
  return phi ? phi->getIncomingBlock(U) : I->getParent();
}

CrossingValues::CrossingValues(Function &F, ArrayRef<Point> points) {
  if (points.empty())
    return;
  for (BasicBlock &BB : F)
    numbers[&BB] = numbers.size();
  std::vector<SmallVector<unsigned, 2>> before(numbers.size()), after(numbers.size());
  for (BasicBlock &BB : F)
    for (BasicBlock *next : successors(&BB)) {
      after[numbers[&BB]].push_back(numbers[next]);
      before[numbers[next]].push_back(numbers[&BB]);
    }
  std::vector<unsigned> pointAfter(numbers.size(), ~0u);
  for (unsigned k = 0; k < points.size(); ++k)
    pointAfter[numbers[points[k].after]] = k;

  SmallVector<unsigned> work, live;
  BitVector isLive(numbers.size());
  auto enter = [&](unsigned block) {
    if (isLive.test(block))
      return;
    isLive.set(block);
    work.push_back(block);
    live.push_back(block);
  };
  auto consider = [&](llvm::Value &V, const BasicBlock *home) {
    for (const Use &U : V.uses()) {
      const BasicBlock *BB = blockOfUse(U);
      if (BB != home) // a use in the home block comes after the definition, because a loop's next turn would need a phi
        enter(numbers.lookup(BB));
    }
    const unsigned homeNumber = home ? numbers.lookup(home) : ~0u;
    while (!work.empty())
      for (unsigned previous : before[work.pop_back_val()])
        if (previous != homeNumber)
          enter(previous);
    Value crossing{&V, {}, {}};
    for (unsigned block : live)
      if (pointAfter[block] != ~0u) {
        crossing.points.push_back(pointAfter[block]);
        work.push_back(block);
      }
    if (!work.empty()) {
      for (unsigned block : work)
        crossing.reloaded.set(block);
      while (!work.empty())
        for (unsigned next : after[work.pop_back_val()])
          if (isLive.test(next) && !crossing.reloaded.test(next)) {
            crossing.reloaded.set(next);
            work.push_back(next);
          }
      sort(crossing.points);
      values.push_back(std::move(crossing));
    }
    for (unsigned block : live)
      isLive.reset(block);
    live.clear();
  };
  for (Argument &A : F.args())
    consider(A, nullptr);
  for (Instruction &I : instructions(F))
    if (!I.getType()->isVoidTy() && !(isa<AllocaInst>(I) && cast<AllocaInst>(I).isStaticAlloca()))
      consider(I, I.getParent());
}

namespace {

// A local is alive across point k if it may have been touched before (since its lifetime began), and may be touched
// after (before its lifetime begins anew or ends). A local whose address has escaped may be touched by others as long
// as it lives, so for it only the first condition counts.
//
//   touched-out(B) = last of { access: true, lifetime marker: false } in B, else touched-in(B) = OR touched-out(preds)
//   needed-in(B)   = first of { access: true, lifetime marker: false } in B, else needed-out(B) = OR needed-in(succs)
//
// With `startCounts` the beginning of a lifetime counts as an access too. Then touched-out says which points are
// enclosed by lifetime markers.
class Events {
public:
  explicit Events(const AddressUses &uses) {
    for (const Instruction *I : uses.accesses)
      add(I, Access);
    for (const Instruction *I : uses.starts)
      add(I, Start);
    for (const Instruction *I : uses.ends)
      add(I, End);
    for (auto &entry : ofBlock)
      sort(entry.second, [](auto &a, auto &b) { return a.first != b.first && a.first->comesBefore(b.first); });
  }

  using Blocks = SmallPtrSet<const BasicBlock *, 16>;
  // Whether `found` is true for some block of touched-out. If the search would take more than `steps` the answer is
  // yes, because a local that is kept without need only costs a little memory.
  bool touchesOut(bool startCounts, uint64_t &steps, function_ref<bool(const BasicBlock *)> found) const {
    Blocks result;
    SmallVector<const BasicBlock *> work;
    auto enter = [&](const BasicBlock *BB) {
      if (!result.insert(BB).second)
        return false;
      work.push_back(BB);
      return steps == 0 || (--steps, found(BB));
    };
    auto generates = [&](Kind last) { return last == Access || (startCounts && last == Start); };
    for (auto &[BB, list] : ofBlock)
      if (generates(list.back().second) && enter(BB))
        return true;
    while (!work.empty())
      for (const BasicBlock *next : successors(work.pop_back_val()))
        if (!ofBlock.count(next) && enter(next))
          return true;
    return false;
  }
  // nullopt if the search would take more than `steps`.
  std::optional<Blocks> neededIn(uint64_t &steps) const {
    Blocks result;
    SmallVector<const BasicBlock *> work;
    for (auto &[BB, list] : ofBlock)
      if (list.front().second == Access && result.insert(BB).second)
        work.push_back(BB);
    while (!work.empty())
      for (const BasicBlock *previous : predecessors(work.pop_back_val()))
        if (!ofBlock.count(previous) && result.insert(previous).second) {
          if (steps == 0)
            return std::nullopt;
          --steps;
          work.push_back(previous);
        }
    return result;
  }

private:
  enum Kind { Access, Start, End };
  void add(const Instruction *I, Kind kind) { ofBlock[I->getParent()].push_back({I, kind}); }
  DenseMap<const BasicBlock *, SmallVector<std::pair<const Instruction *, Kind>>> ofBlock; // in order
};

// Whether copying the local out and back takes as long as the rest of a switch, or longer, and is done at each call
// because it is a stress build. Otherwise a call is suspended seldom, and should not have to take a frame for a home.
bool isTooLargeToMove(const AllocaInst &A) {
  return options().stress && A.getAllocationSize(A.getDataLayout())->getKnownMinValue() > 1024;
}

} // namespace

Locals::Locals(Function &F, ArrayRef<Point> points, const CrossingValues &crossing) {
  SmallVector<AllocaInst *> all;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      all.push_back(A);
  DenseMap<const llvm::Value *, bool> crosses;
  for (const CrossingValues::Value &V : crossing.values)
    crosses[V.value] = true;

  // Without optimisation a debugger shows every local until its scope ends, whether or not the program looks at it
  // again.
  const bool keepsAll = F.hasFnAttribute(Attribute::OptimizeNone);
  DenseMap<const BasicBlock *, const BasicBlock *> pointAt; // before -> after
  for (const Point &P : points)
    pointAt[P.before] = P.after;
  uint64_t steps = 256 * F.size() + 4096; // one budget for all locals together, so that the time is linear
  for (AllocaInst *A : all) {
    AddressUses uses(*A);
    LocalClass &verdict = classes[A] = LocalClass::Native;
    if (points.empty() || A->isSwiftError()) // a swifterror local is set just before each call that takes it
      continue;
    if (any_of(uses.derived, [&](const llvm::Value *V) { return crosses.count(V); })) {
      verdict = LocalClass::Home;
      continue;
    }
    Events events(uses);
    std::optional<Events::Blocks> needed; // nullopt: the local may be needed anywhere
    if (!uses.escapes && !keepsAll)
      needed = events.neededIn(steps);
    if (events.touchesOut(false, steps, [&](const BasicBlock *BB) {
          const BasicBlock *after = pointAt.lookup(BB);
          return after && (!needed || needed->contains(after));
        })) {
      verdict = uses.escapes || isTooLargeToMove(*A) ? LocalClass::Home : LocalClass::Image;
      continue;
    }
    if (!uses.starts.empty() &&
        events.touchesOut(true, steps, [&](const BasicBlock *BB) { return pointAt.contains(BB); }))
      unmarked.insert(A);
  }
}

} // namespace charcoal
