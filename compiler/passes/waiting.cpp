// See waiting.h. Usually the code has not been optimized yet: locals are in memory, and the result of an atomic
// operation is stored in one. In modules that were optimized before, locals are PHI nodes.
#include "waiting.h"
#include "addresses.h"
#include "suspension_markers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace charcoal {

using Blocks = SmallPtrSet<BasicBlock *, 16>;

// Whether the operation has no further effect when it is done again and nobody else has changed the memory.
static bool isIdempotent(const Instruction &I) {
  if (isa<AtomicCmpXchgInst>(I))
    return true;
  auto *update = dyn_cast<AtomicRMWInst>(&I);
  return update && (update->getOperation() == AtomicRMWInst::Xchg || update->getOperation() == AtomicRMWInst::Or ||
                    update->getOperation() == AtomicRMWInst::And);
}

// Code that counts how often other code runs has no effect on the program: the intrinsics, or counters made of them.
static bool countsRuns(const Instruction &I) {
  if (isa<InstrProfInstBase>(I))
    return true;
  auto *store = dyn_cast<StoreInst>(&I);
  auto *counter = store ? dyn_cast<GlobalVariable>(store->getPointerOperand()->stripInBoundsOffsets()) : nullptr;
  return counter && any_of(ArrayRef<StringRef>{"__profc_", "__profbm_", "__llvm_gcov_ctr"},
                           [&](StringRef prefix) { return counter->getName().starts_with(prefix); });
}

// From what a value is computed: variables of the function, and looks at shared memory. A variable is a local in
// memory, or a PHI node that carries a value round the cycle.
namespace {
struct Sources {
  SetVector<const Value *> variables;
  SmallVector<const Instruction *, 2> looks;
};
} // namespace

class Cycle {
public:
  Cycle(Waiting &waiting, ArrayRef<BasicBlock *> list) : waiting(waiting), blocks(list.begin(), list.end()) {}
  bool onlyWaits(ArrayRef<BasicBlock *> list);

private:
  const AllocaInst *local(const Value *pointer) const;
  bool isLook(const Instruction &) const;
  // With `throughLooks` the search goes on with the address of a look. Without it the search ends at a look, because
  // what a look returns depends on memory.
  void collect(const Value *, bool throughLooks, DenseSet<const Value *> &seen, Sources &) const;
  Sources allSourcesOf(const Value *, bool throughLooks) const;
  bool affectsOthers(const Instruction &);
  bool isCarried(const PHINode &phi) const {
    return any_of(phi.blocks(), [&](const BasicBlock *from) { return !blocks.contains(from); });
  }
  bool isMoving(const Value *variable, bool throughLooks) const;
  bool isSteady(const Instruction &look) const;
  void addConditions(const Instruction &exit, Sources &) const;
  bool endsByALook(const Instruction &exit) const;

  Waiting &waiting;
  Blocks blocks;
  MapVector<const Value *, SmallVector<const Value *, 2>> assigned; // for each variable the values that it gets
  DenseMap<const Value *, SmallVector<BasicBlock *, 2>> assigning;  // for each local in memory, where it gets them
};

// The variable of the function whose address this is, if nobody else knows it. It may be volatile, which LLVM's own
// analysis takes for a capture.
const AllocaInst *Cycle::local(const Value *pointer) const {
  auto *variable = dyn_cast<AllocaInst>(pointer->stripInBoundsOffsets());
  return variable && waiting.isPrivate(const_cast<AllocaInst &>(*variable)) ? variable : nullptr;
}

// Whether this looks at memory that somebody else may change. A variable of the function is no such memory, even if it
// is volatile.
bool Cycle::isLook(const Instruction &I) const {
  auto *load = dyn_cast<LoadInst>(&I);
  return isLookAtShared(I) && !(load && local(load->getPointerOperand()));
}

void Cycle::collect(const Value *value, bool throughLooks, DenseSet<const Value *> &seen, Sources &sources) const {
  SmallVector<const Value *> work{value};
  while (!work.empty()) {
    auto *I = dyn_cast<Instruction>(work.pop_back_val());
    if (!I || !blocks.contains(I->getParent()) || !seen.insert(I).second)
      continue;
    if (isLook(*I)) {
      sources.looks.push_back(I);
      if (throughLooks)
        work.push_back(isa<LoadInst>(I) ? cast<LoadInst>(I)->getPointerOperand() : I->getOperand(0));
      continue;
    }
    if (auto *phi = dyn_cast<PHINode>(I)) {
      if (isCarried(*phi)) {
        sources.variables.insert(phi);
        continue;
      }
      for (const BasicBlock *from : phi->blocks()) // a condition decides which of the values arrives
        work.append(from->getTerminator()->op_begin(), from->getTerminator()->op_end());
    }
    if (auto *load = dyn_cast<LoadInst>(I))
      if (auto *variable = dyn_cast<AllocaInst>(load->getPointerOperand()->stripInBoundsOffsets()))
        sources.variables.insert(variable);
    work.append(I->op_begin(), I->op_end());
  }
}

// Includes the sources of the variables that it finds, and of those in turn.
Sources Cycle::allSourcesOf(const Value *value, bool throughLooks) const {
  Sources result;
  DenseSet<const Value *> seen;
  collect(value, throughLooks, seen, result);
  for (unsigned k = 0; k < result.variables.size(); ++k)
    if (auto found = assigned.find(result.variables[k]); found != assigned.end())
      for (const Value *given : found->second)
        collect(given, throughLooks, seen, result);
  return result;
}

// Whether the variable's value depends on the value that it had in the turn before.
bool Cycle::isMoving(const Value *variable, bool throughLooks) const {
  auto found = assigned.find(variable);
  return found != assigned.end() && any_of(found->second, [&](const Value *given) {
           return allSourcesOf(given, throughLooks).variables.contains(variable);
         });
}

// Whether it looks at the same address in each turn, and not along a list or an array.
bool Cycle::isSteady(const Instruction &look) const {
  const Value *address = isa<LoadInst>(look) ? cast<LoadInst>(look).getPointerOperand() : look.getOperand(0);
  return none_of(allSourcesOf(address, true).variables, [&](const Value *v) { return isMoving(v, true); });
}

// Where a local ends before the jump out of a loop, clang notes in a variable where the jump leads, and the end of the
// cycle depends on that number. So it depends on the conditions that decide where the variables are assigned.
void Cycle::addConditions(const Instruction &exit, Sources &sources) const {
  SmallPtrSet<BasicBlock *, 8> assignments;
  for (const Value *variable : sources.variables)
    if (auto found = assigning.find(variable); found != assigning.end())
      assignments.insert_range(found->second);
  Blocks candidates = blocks;
  candidates.erase(const_cast<BasicBlock *>(exit.getParent()));
  // What decides whether a block is reached, directly or not, is its iterated frontier of post-dominance.
  ReverseIDFCalculator frontier(waiting.postDominators());
  frontier.setDefiningBlocks(assignments);
  frontier.setLiveInBlocks(candidates);
  SmallVector<BasicBlock *> deciding;
  frontier.calculate(deciding);
  for (const BasicBlock *BB : deciding)
    for (const Value *operand : BB->getTerminator()->operands()) {
      const Sources more = allSourcesOf(operand, false);
      sources.variables.insert_range(more.variables);
      sources.looks.append(more.looks);
    }
}

bool Cycle::endsByALook(const Instruction &exit) const {
  if (!isa<BranchInst>(exit) && !isa<SwitchInst>(exit))
    return false;
  Sources sources = allSourcesOf(exit.getOperand(0), false);
  if (sources.looks.empty())
    addConditions(exit, sources);
  return any_of(sources.looks, [&](const Instruction *look) { return isSteady(*look); }) &&
         none_of(sources.variables, [&](const Value *v) { return isMoving(v, false); });
}

// Notes what an instruction assigns. True if others may see its effect, or if its effect is not known.
bool Cycle::affectsOthers(const Instruction &I) {
  if (countsRuns(I) || isa<LoadInst>(I))
    return false;
  if (auto *phi = dyn_cast<PHINode>(&I)) {
    if (isCarried(*phi))
      for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
        if (blocks.contains(phi->getIncomingBlock(k)))
          assigned[phi].push_back(phi->getIncomingValue(k));
    return false;
  }
  if (auto *store = dyn_cast<StoreInst>(&I)) {
    const AllocaInst *variable = local(store->getPointerOperand());
    if (!variable)
      return true;
    assigned[variable].push_back(store->getValueOperand());
    assigning[variable].push_back(const_cast<BasicBlock *>(store->getParent()));
    return false;
  }
  if (auto *call = dyn_cast<CallBase>(&I); call && call->isInlineAsm())
    return !call->getType()->isVoidTy(); // without a result it is most likely the processor's instruction for waiting
  return I.mayWriteToMemory() && !isIdempotent(I) && !I.isLifetimeStartOrEnd() && !isYield(I) && !isPause(I) &&
         !isa<FenceInst>(I) && !isa<DbgInfoIntrinsic>(I) &&
         !(isa<IntrinsicInst>(I) && I.getType()->isVoidTy() && cast<IntrinsicInst>(I).arg_empty());
}

bool Cycle::onlyWaits(ArrayRef<BasicBlock *> list) {
  SmallVector<const Instruction *> looks, exits;
  for (BasicBlock *BB : list) {
    for (Instruction &I : *BB) {
      if (affectsOthers(I))
        return false;
      if (isLook(I))
        looks.push_back(&I);
    }
    if (any_of(successors(BB), [&](BasicBlock *next) { return !blocks.contains(next); }))
      exits.push_back(BB->getTerminator());
  }
  // The search takes time in the square of the number of variables. A loop with more variables than this computes
  // something, and does not only wait.
  constexpr unsigned many = 64;
  if (assigned.size() > many || none_of(looks, [&](const Instruction *look) { return isSteady(*look); }))
    return false;
  return none_of(assigned, [&](auto &entry) { return isMoving(entry.first, false); }) ||
         all_of(exits, [&](const Instruction *exit) { return endsByALook(*exit); });
}

bool Waiting::isPrivate(AllocaInst &variable) {
  auto [found, isNew] = known.try_emplace(&variable, false);
  if (isNew)
    found->second = AddressUses(variable).captures.empty();
  return found->second;
}

PostDominatorTree &Waiting::postDominators() {
  if (!tree)
    tree.emplace(function);
  return *tree;
}

bool Waiting::onlyWaits(ArrayRef<BasicBlock *> cycle) { return Cycle(*this, cycle).onlyWaits(cycle); }

} // namespace charcoal
