// Pass `atomicity`: the place of an access in the source text, and the reads on which a write rests.
#include "atomicity_instrumenter.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace charcoal {

// ---- what a value is used for ----

// Whether a comparison or a branch depends on the value. The search goes through everything that is computed from it,
// and without optimisation through local variables.
static bool isTested(const Instruction &value) {
  constexpr unsigned enough = 64;
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> work{&value};
  while (!work.empty() && seen.size() < enough)
    for (const User *U : work.pop_back_val()->users()) {
      if (isa<CmpInst>(U) || isa<SwitchInst>(U) || isa<BranchInst>(U) || isa<SelectInst>(U))
        return true;
      if (auto *S = dyn_cast<StoreInst>(U)) {
        auto *A = dyn_cast<AllocaInst>(S->getPointerOperand());
        for (const User *other : A ? A->users() : iterator_range<Value::const_user_iterator>({}, {}))
          if (isa<LoadInst>(other) && seen.insert(other).second)
            work.push_back(other);
      } else if ((isa<CastInst>(U) || isa<BinaryOperator>(U) || isa<PHINode>(U) || isa<GetElementPtrInst>(U)) &&
                 seen.insert(U).second) {
        work.push_back(U);
      }
    }
  return false;
}

// ---- places ----

// The name without the number that tells two bodies in one function apart.
static StringRef nameOf(const DISubprogram *function) {
  StringRef name = function->getName(), plain = name.rtrim("0123456789");
  return plain.ends_with(".activity.") || plain.ends_with(".async.") ? plain.drop_back() : name;
}

Constant *Places::text(StringRef words) {
  if (words.empty())
    return ConstantPointerNull::get(abi.Ptr);
  Constant *&known = texts[words];
  if (!known) {
    Constant *characters = ConstantDataArray::getString(abi.C, words);
    auto *G = new GlobalVariable(abi.M, characters->getType(), true, GlobalValue::PrivateLinkage, characters,
                                 "charcoal.text");
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    known = G;
  }
  return known;
}

Constant *Places::make(const DILocation *at, StringRef function, StringRef variable, uint64_t size,
                       const RestsOn &restsOn, unsigned flags) {
  Constant *inside = at && at->getInlinedAt() ? call(at->getInlinedAt()) : ConstantPointerNull::get(abi.Ptr);
  auto number = [&](uint64_t n) { return ConstantInt::get(abi.I32, n); };
  static_assert(sizeof(struct ch_access_place) == 48 + 8 * CH_RESTS_ON, "struct ch_access_place has changed");
  RestsOn reads(restsOn);
  reads.resize(CH_RESTS_ON, ConstantPointerNull::get(abi.Ptr));
  Constant *fields[] = {text(at ? at->getFilename() : ""),
                        text(function),
                        text(variable),
                        inside,
                        ConstantArray::get(ArrayType::get(abi.Ptr, CH_RESTS_ON), reads),
                        number(at ? at->getLine() : 0),
                        number(at ? at->getColumn() : 0),
                        number(size),
                        number(flags)};
  Constant *place = ConstantStruct::getAnon(fields);
  return new GlobalVariable(abi.M, place->getType(), true, GlobalValue::PrivateLinkage, place, "charcoal.place");
}

Constant *Places::call(const DILocation *at) {
  const Key key{at, {nullptr, 0}};
  if (Constant *place = known.lookup(key))
    return place;
  // This also adds the places of the calls around it.
  Constant *place = make(at, nameOf(at->getScope()->getSubprogram()), "", 0, {});
  return known[key] = place;
}

static StringRef variableOf(const Value *object) {
  StringRef name = isa<GlobalVariable>(object) ? object->getName() : "";
  return name.starts_with(".") || name.starts_with("charcoal.") ? "" : name;
}

// LLVM gives line 0 to what it has made of the accesses of several lines. The best place is then that of a use, or of
// what follows, in the same function; otherwise the beginning of the block in the source text.
static const DILocation *lineOf(const Instruction &I) {
  const DILocation *at = I.getDebugLoc();
  if (!at || at->getLine() != 0)
    return at;
  auto lineOfOther = [&](const Instruction *other) -> const DILocation * {
    const DILocation *there = other->getDebugLoc();
    bool inSameFunction = there && there->getInlinedAt() == at->getInlinedAt() &&
                          there->getScope()->getSubprogram() == at->getScope()->getSubprogram();
    return inSameFunction && there->getLine() != 0 ? there : nullptr;
  };
  for (const User *U : I.users())
    if (auto *user = dyn_cast<Instruction>(U))
      if (const DILocation *there = lineOfOther(user))
        return there;
  for (const Instruction *next = &I; (next = next->getNextNode());)
    if (const DILocation *there = lineOfOther(next))
      return there;
  const auto *block = dyn_cast<DILexicalBlock>(at->getScope());
  unsigned line = block ? block->getLine() : at->getScope()->getSubprogram()->getLine();
  return DILocation::get(I.getContext(), line, 0, at->getScope(), at->getInlinedAt());
}

Constant *Places::of(const Instruction &I, const Value *object, uint64_t size, unsigned how, const RestsOn &restsOn) {
  const DILocation *at = lineOf(I);
  if (DISubprogram *whole = I.getFunction()->getSubprogram(); whole && !at) // there is no better place
    at = DILocation::get(abi.C, whole->getLine(), 0, whole);
  StringRef function = at ? nameOf(at->getScope()->getSubprogram()) : I.getFunction()->getName();
  StringRef variable = variableOf(object);
  if (!restsOn.empty())
    return make(at, function, variable, size, restsOn, how);
  if (isa<LoadInst>(I) && isTested(I))
    how |= CH_ACCESS_TESTED;
  const Key key{at, {at ? (const void *)variable.data() : &I, size << 3 | how}};
  if (Constant *place = known.lookup(key))
    return place;
  Constant *place = make(at, function, variable, size, {}, how); // also adds the places of the calls around it
  return known[key] = place;
}

// ---- on which reads a write rests ----

// Returns the last store to the local on each way to the load.
static SmallVector<StoreInst *, 4> reachingStores(LoadInst &L, AllocaInst *A) {
  SmallVector<StoreInst *, 4> stores;
  SmallPtrSet<BasicBlock *, 16> seen;
  SmallVector<Instruction *, 16> work{L.getPrevNode()}; // where each search upwards begins; null: at the block's top
  SmallVector<BasicBlock *, 16> blocks{L.getParent()};
  while (!blocks.empty()) {
    BasicBlock *BB = blocks.pop_back_val();
    Instruction *I = work.pop_back_val();
    while (I && !(isa<StoreInst>(I) && cast<StoreInst>(I)->getPointerOperand() == A))
      I = I->getPrevNode();
    if (I) {
      stores.push_back(cast<StoreInst>(I));
      continue;
    }
    for (BasicBlock *before : predecessors(BB))
      if (seen.insert(before).second) {
        blocks.push_back(before);
        work.push_back(&before->back());
      }
  }
  return stores;
}

void collectReads(Value *value, SmallPtrSetImpl<Value *> &seen, SmallVectorImpl<LoadInst *> &reads) {
  constexpr unsigned enough = 64;
  auto *I = dyn_cast<Instruction>(value);
  if (!I || seen.size() > enough || !seen.insert(I).second || reads.size() == CH_RESTS_ON)
    return;
  if (auto *L = dyn_cast<LoadInst>(I)) {
    // What others may write to can hold something else than the last store here.
    if (auto *A = dyn_cast<AllocaInst>(L->getPointerOperand()); A && !PointerMayBeCaptured(A, /*ReturnCaptures=*/false))
      for (StoreInst *S : reachingStores(*L, A))
        collectReads(S->getValueOperand(), seen, reads);
    else
      reads.push_back(L);
    return;
  }
  if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
    return;
  for (Value *operand : I->operands())
    collectReads(operand, seen, reads);
}

} // namespace charcoal
