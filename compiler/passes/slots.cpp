// See slots.h.
#include "slots.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace charcoal {

// If the analysis needed more bits than this it would take too long. Then no slot shares its place with another.
static constexpr uint64_t MostBits = 1ull << 25;

static bool isValueSlot(const AllocaInst &A) {
  return all_of(A.users(), [&](const User *U) {
    if (auto *load = dyn_cast<LoadInst>(U))
      return load->getType() == A.getAllocatedType();
    auto *store = dyn_cast<StoreInst>(U);
    return store && store->getValueOperand() != &A && store->getValueOperand()->getType() == A.getAllocatedType();
  });
}

static bool isVisible(const AddressUses &uses) {
  return !uses.escapes && uses.captures.empty() && all_of(uses.accesses, [](const Instruction *I) {
    return isa<LoadInst>(I) || isa<StoreInst>(I) || isa<MemIntrinsic>(I);
  });
}

// The blocks that are reached, in reverse post-order, with the edges between them.
void SlotUses::connect(Function &F, ArrayRef<Resumption> resumptions) {
  DenseMap<const BasicBlock *, BasicBlock *> resumed;
  for (auto &[suspending, restored] : resumptions)
    resumed[suspending] = restored;
  auto nextOf = [&](const BasicBlock *BB) {
    SmallVector<const BasicBlock *, 2> next(successors(BB));
    if (const BasicBlock *restored = resumed.lookup(BB))
      next.push_back(restored);
    return next;
  };
  struct Visit {
    const BasicBlock *block;
    SmallVector<const BasicBlock *, 2> left;
  };
  SmallVector<const BasicBlock *> order;
  SmallVector<Visit> path;
  SmallPtrSet<const BasicBlock *, 32> seen;
  auto enter = [&](const BasicBlock *BB) {
    if (seen.insert(BB).second)
      path.push_back({BB, nextOf(BB)});
  };
  enter(&F.getEntryBlock());
  while (!path.empty())
    if (path.back().left.empty())
      order.push_back(path.pop_back_val().block);
    else
      enter(path.back().left.pop_back_val());
  blocks.resize(order.size());
  for (const BasicBlock *BB : reverse(order))
    numbers.try_emplace(BB, numbers.size());
  for (const BasicBlock *BB : order)
    for (const BasicBlock *next : nextOf(BB)) {
      blocks[numbers[BB]].after.push_back(numbers[next]);
      blocks[numbers[next]].before.push_back(numbers[BB]);
    }
}

void SlotUses::add(unsigned slot, Instruction *I, Kind kind) {
  if (auto block = numbers.find(I->getParent()); block != numbers.end())
    blocks[block->second].events.push_back({I, slot, kind});
}

void SlotUses::findEvents(unsigned slot, AllocaInst &A) {
  if (isValueSlot(A)) {
    for (User *U : A.users())
      add(slot, cast<Instruction>(U), isa<LoadInst>(U) ? Kind::Load : Kind::Store);
    return;
  }
  const AddressUses uses(A);
  if (isVisible(uses)) {
    for (Instruction *I : uses.accesses)
      add(slot, I, isa<LoadInst>(I) ? Kind::Load : Kind::Access);
  } else if (uses.starts.empty()) {
    always.set(slot);
    return;
  } else {
    lent.set(slot);
  }
  for (Instruction *I : uses.starts)
    add(slot, I, lent.test(slot) ? Kind::Begin : Kind::End);
  for (Instruction *I : uses.ends)
    add(slot, I, Kind::End);
}

bool SlotUses::makes(const Event &event) const { return event.kind != Kind::End; }

void SlotUses::Effect::apply(BitVector &set) const {
  if (ended.empty())
    return;
  set.reset(ended);
  set |= made;
}

void SlotUses::summarise(Block &block) const {
  if (block.events.empty())
    return;
  stable_sort(block.events, [](const Event &a, const Event &b) { return a.at != b.at && a.at->comesBefore(b.at); });
  auto set = [&](Effect &effect, unsigned slot, bool isMade) {
    (isMade ? effect.made : effect.ended).set(slot);
    (isMade ? effect.ended : effect.made).reset(slot);
  };
  for (Effect *effect : {&block.forwards, &block.backwards}) {
    effect->made.resize(count);
    effect->ended.resize(count);
  }
  for (const Event &event : block.events)
    set(block.forwards, event.slot, makes(event));
  for (const Event &event : reverse(block.events))
    set(block.backwards, event.slot, event.kind == Kind::Load || event.kind == Kind::Access);
}

// Goes over all blocks until nothing changes. This takes about one round more than the depth to which loops are nested.
void SlotUses::solve() {
  for (Block &block : blocks) {
    block.touched.resize(count);
    block.needed.resize(count);
  }
  BitVector flow;
  bool changed = true;
  auto join = [&](BitVector &into) {
    if (!flow.test(into))
      return;
    into |= flow;
    changed = true;
  };
  while (std::exchange(changed, false)) {
    for (Block &block : blocks)
      for (unsigned previous : block.before) {
        flow = blocks[previous].touched;
        blocks[previous].forwards.apply(flow);
        join(block.touched);
      }
    for (Block &block : reverse(blocks))
      for (unsigned next : block.after) {
        flow = blocks[next].needed;
        blocks[next].backwards.apply(flow);
        join(block.needed);
      }
  }
}

// Goes through the block backwards, and knows at each instruction with events what is in use after it. What is in use
// before it and not after it is accessed by it.
void SlotUses::findCollisions(const Block &block) {
  BitVector touched = block.touched, needed = block.needed;
  SmallVector<bool> wasTouched;
  for (const Event &event : block.events) {
    wasTouched.push_back(touched.test(event.slot));
    touched[event.slot] = makes(event);
  }
  for (size_t end = block.events.size(), start; end > 0; end = start) {
    start = end - 1;
    while (start > 0 && block.events[start - 1].at == block.events[end - 1].at)
      --start;
    const ArrayRef<Event> together = ArrayRef(block.events).slice(start, end - start);
    BitVector busy = needed;
    busy |= lent;
    busy &= touched;
    for (size_t i = end; i-- > start;) {
      const Event &event = block.events[i];
      touched[event.slot] = wasTouched[i];
      needed[event.slot] = event.kind == Kind::Load || event.kind == Kind::Access;
    }
    for (const Event &event : together)
      if (makes(event))
        busy.set(event.slot);
    for (const Event &event : together)
      if (makes(event) && event.kind != Kind::Load)
        collisions[event.slot] |= busy;
  }
}

SlotUses::SlotUses(Function &F, ArrayRef<AllocaInst *> slots, const SmallPtrSetImpl<const AllocaInst *> &alwaysUsed,
                   ArrayRef<Resumption> resumptions)
    : count(slots.size()), lent(count), always(count) {
  if (count < 2 || uint64_t(count) * (F.size() + count) > MostBits)
    return;
  connect(F, resumptions);
  for (unsigned slot = 0; slot < count; ++slot)
    if (alwaysUsed.contains(slots[slot]))
      always.set(slot);
    else
      findEvents(slot, *slots[slot]);
  for (Block &block : blocks)
    summarise(block);
  solve();
  collisions.assign(count, BitVector(count));
  for (const Block &block : blocks)
    if (!block.events.empty())
      findCollisions(block);
}

} // namespace charcoal
