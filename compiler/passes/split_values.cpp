// Part of `split`: values that live across a point. Each is kept in its register and saved on the way to suspension, or
// in a slot of the image that is stored where the value is made.
#include "splitter.h"
#include "layout.h"
#include "suspension_markers.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace charcoal {

AllocaInst *Splitter::newSlot(Type *T, const Twine &name) {
  IRBuilder<> top(&*body->getFirstNonPHIIt());
  AllocaInst *slot = top.CreateAlloca(T, nullptr, name + ".slot");
  slot->setAlignment(DL.getABITypeAlign(T));
  slots.push_back(slot);
  if (F.hasFnAttribute(Attribute::OptimizeNone))
    aloneInImage.insert(slot);
  return slot;
}

// Keeps the value in a register. It is saved on the way to suspension and reloaded on the way back. Another such value
// that crosses other points may use the same slot of the image.
void Splitter::keepInRegister(const CrossingValues &crossing, const CrossingValues::Value &V) {
  Type *T = V.value->getType();
  SmallBitVector crossed(points.size());
  for (unsigned k : V.points)
    crossed.set(k);
  SharedSlot *place = nullptr;
  for (SharedSlot &S : sharedSlots)
    if (S.slot->getAllocatedType() == T && !S.points.anyCommon(crossed)) {
      place = &S;
      break;
    }
  if (!place) {
    sharedSlots.push_back({newSlot(T, V.value->getName()), SmallBitVector(points.size())});
    place = &sharedSlots.back();
  }
  place->points |= crossed;

  SmallVector<Use *> uses;
  for (Use &U : V.value->uses())
    if (crossing.isReloaded(V, blockOfUse(U)))
      uses.push_back(&U);
  SSAUpdater values;
  values.Initialize(T, V.value->getName());
  auto *I = dyn_cast<Instruction>(V.value);
  values.AddAvailableValue(I ? I->getParent() : body, V.value);
  for (unsigned k : V.points) {
    IRBuilder<> R(restoredBlocks[k]->getTerminator());
    values.AddAvailableValue(restoredBlocks[k], R.CreateAlignedLoad(T, place->slot, place->slot->getAlign()));
  }
  for (unsigned k : V.points) {
    IRBuilder<> S(suspendingBlocks[k]->getTerminator());
    S.CreateAlignedStore(values.GetValueAtEndOfBlock(points[k].before), place->slot, place->slot->getAlign());
  }
  for (Use *U : uses)
    values.RewriteUse(*U);
}

// Does what keepInRegister does, but without code at each point: the tail that all points share saves the value, and
// the dispatch loads it again. The address of a frame is in its slot anyway, so it is not saved.
void Splitter::keepInRegisterThroughout(const CrossingValues &crossing, const CrossingValues::Value &V) {
  Type *T = V.value->getType();
  AllocaInst *slot = isFrame(V.value) ? frameSlot : newSlot(T, V.value->getName());
  aloneInImage.insert(slot);
  SmallVector<Use *> uses;
  for (Use &U : V.value->uses())
    if (crossing.isReloaded(V, blockOfUse(U)))
      uses.push_back(&U);
  BasicBlock *dispatch = restore->getParent();
  IRBuilder<> D(dispatch->getTerminator());
  SSAUpdater values;
  values.Initialize(T, V.value->getName());
  auto *I = dyn_cast<Instruction>(V.value);
  values.AddAvailableValue(I ? I->getParent() : body, V.value);
  values.AddAvailableValue(dispatch, D.CreateAlignedLoad(T, slot, slot->getAlign(), V.value->getName()));
  if (!isFrame(V.value)) {
    SavedThroughout &saved = savedThroughout.emplace_back(SavedThroughout{slot, T, {}});
    saved.atPoints.resize(points.size());
    for (unsigned k : V.points)
      saved.atPoints[k] = values.GetValueAtEndOfBlock(points[k].before);
  }
  for (Use *U : uses)
    values.RewriteUse(*U);
}

static constexpr unsigned Few = 6; // the most points that may have cold code to reload one value

// Returns the yields after which a value that lives in the image is still in its register, too.
SmallVector<unsigned> Splitter::yieldsInRegister(const CrossingValues::Value &V) const {
  SmallVector<unsigned> yields;
  if (!frequencies.empty())
    copy_if(V.points, std::back_inserter(yields), [&](unsigned k) { return isYieldOrPause(*points[k].at); });
  sort(yields, [&](unsigned a, unsigned b) { return std::pair(frequencies[b], a) < std::pair(frequencies[a], b); });
  yields.truncate(std::min<size_t>(yields.size(), Few));
  return yields;
}

// The blocks that are reached from a point other than these yields while the value is alive.
Splitter::Blocks Splitter::reachedFromOthers(const CrossingValues &crossing, const CrossingValues::Value &V,
                                             ArrayRef<unsigned> yields) const {
  Blocks reached;
  SmallVector<const BasicBlock *> work;
  auto enter = [&](const BasicBlock *BB) {
    if (crossing.isReloaded(V, BB) && reached.insert(BB).second)
      work.push_back(BB);
  };
  for (unsigned k : V.points)
    if (!is_contained(yields, k))
      enter(points[k].after);
  while (!work.empty())
    for (const BasicBlock *next : successors(work.pop_back_val()))
      enter(next);
  return reached;
}

// The instruction before which a value has to be loaded for a use. What is stored into slots of webs at the end of a
// block, for phis after it, comes after all loads.
Instruction *Splitter::placeOfUse(const Use &U) const {
  BasicBlock *BB = blockOfUse(U);
  auto *I = cast<Instruction>(U.getUser());
  Instruction *at = isa<PHINode>(I) ? BB->getTerminator() : I;
  Instruction *stores = webStores.lookup(BB);
  return stores && stores->comesBefore(at) ? stores : at;
}

Splitter::Uses Splitter::usesOf(const CrossingValues &crossing, const CrossingValues::Value &V) const {
  Uses uses;
  uses.yields = yieldsInRegister(V);
  const Blocks others = uses.yields.empty() ? Blocks() : reachedFromOthers(crossing, V, uses.yields);
  erase_if(uses.yields, [&](unsigned k) { return others.contains(points[k].after); });
  for (Use &U : V.value->uses()) {
    BasicBlock *BB = blockOfUse(U);
    if (auto *phi = dyn_cast<PHINode>(U.getUser()); phi && inMemory.contains(phi))
      continue;
    if (V.points.empty() || !crossing.isReloaded(V, BB))
      uses.direct.push_back(&U);
    else if (!uses.yields.empty() && !others.contains(BB))
      uses.behindYields.push_back(&U);
    else
      uses.reloaded.push_back(&U);
  }
  return uses;
}

// Gives each use its value, with one load in each block.
void Splitter::loadForUses(ArrayRef<Use *> uses, AllocaInst *slot, const Twine &name) {
  DenseMap<BasicBlock *, Instruction *> firstUse;
  for (Use *U : uses) {
    Instruction *&first = firstUse[blockOfUse(*U)];
    Instruction *at = placeOfUse(*U);
    if (!first || at->comesBefore(first))
      first = at;
  }
  DenseMap<BasicBlock *, Value *> loads;
  for (Use *U : uses) {
    BasicBlock *BB = blockOfUse(*U);
    Value *&load = loads[BB];
    if (!load) {
      IRBuilder<> B(firstUse[BB]);
      load = B.CreateAlignedLoad(slot->getAllocatedType(), slot, slot->getAlign(), name);
    }
    U->set(load);
  }
}

// The value lives in the image. It is stored where it is defined, and loaded once in each block that may be reached
// from a resumption. After the most frequent yields it is loaded only on the way back.
void Splitter::keepInImage(const CrossingValues &crossing, const CrossingValues::Value &V) {
  Type *T = V.value->getType();
  AllocaInst *slot = isFrame(V.value) ? frameSlot : webSlots.lookup(V.value);
  if (!slot)
    slot = newSlot(T, V.value->getName());
  if (auto *call = dyn_cast<CallInst>(V.value); call && call->getCalledOperand() == abi.alloca_().getCallee())
    aloneInImage.insert(slot);
  // The debug record of a variable-length local refers to its address, which is in the slot from now on.
  if (!findDVRDeclares(V.value).empty()) {
    DIBuilder debug(M, false);
    replaceDbgDeclare(V.value, slot, debug, DIExpression::DerefBefore, 0);
  }
  Uses uses = usesOf(crossing, V);
  auto *phi = dyn_cast<PHINode>(V.value);
  if (phi && inMemory.contains(phi)) {
    uses.reloaded.append(uses.behindYields);
    uses.reloaded.append(uses.direct);
    loadForUses(uses.reloaded, slot, phi->getName());
    return;
  }
  loadForUses(uses.reloaded, slot, V.value->getName());
  if (!uses.behindYields.empty()) {
    SSAUpdater values;
    values.Initialize(T, V.value->getName());
    auto *I = dyn_cast<Instruction>(V.value);
    values.AddAvailableValue(I ? I->getParent() : body, V.value);
    for (unsigned k : uses.yields) {
      IRBuilder<> R(restoredBlocks[k]->getTerminator());
      values.AddAvailableValue(restoredBlocks[k], R.CreateAlignedLoad(T, slot, slot->getAlign()));
    }
    for (Use *U : uses.behindYields)
      values.RewriteUse(*U);
  }
  if (isFrame(V.value) || (phi && !isResult(*phi) && webSlots.contains(phi)))
    return; // other code stores it
  IRBuilder<> B(abi.C);
  if (isa<Argument>(V.value)) {
    B.SetInsertPoint(afterAllocas(*body));
  } else {
    auto *I = cast<Instruction>(V.value);
    BasicBlock::iterator next = isa<PHINode>(I) ? I->getParent()->getFirstInsertionPt() : std::next(I->getIterator());
    while (isa<AllocaInst>(*next))
      ++next;
    B.SetInsertPoint(I->getParent(), next);
  }
  B.CreateAlignedStore(V.value, slot, slot->getAlign());
}

// ---- webs ----

// Each web gets a slot. When control reaches a phi of the web, the slot holds what reaches the phi. It is stored at the
// end of the block before, unless it is a member of the web too.
void Splitter::makeWebs(const Webs &found) {
  for (const Webs::Web &web : found.webs) {
    AllocaInst *slot = newSlot(web.front()->getType(), web.front()->getName());
    for (llvm::Value *member : web)
      webSlots[member] = slot;
    for (llvm::Value *member : web) {
      auto *phi = dyn_cast<PHINode>(member);
      if (!phi || isResult(*phi))
        continue;
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        llvm::Value *value = phi->getIncomingValue(i);
        if (isa<UndefValue>(value) || webSlots.lookup(value) == slot)
          continue;
        BasicBlock *from = phi->getIncomingBlock(i);
        IRBuilder<> B(from->getTerminator());
        webStores.try_emplace(from, B.CreateAlignedStore(value, slot, slot->getAlign()));
      }
    }
  }
}

// Whether a phi of a web is better in memory alone: it is used less often than members of the web reach it.
bool Splitter::belongsInMemory(const CrossingValues &crossing, const CrossingValues::Value &V,
                               const BlockFrequencyInfo &frequency) const {
  auto &phi = cast<PHINode>(*V.value);
  const AllocaInst *slot = webSlots.lookup(&phi);
  uint64_t loads = 0, reached = 0;
  const Uses uses = usesOf(crossing, V);
  SmallPtrSet<const BasicBlock *, 16> blocks;
  for (const SmallVector<Use *> *list : {&uses.direct, &uses.behindYields})
    for (const Use *U : *list) {
      auto *user = dyn_cast<PHINode>(U->getUser());
      const bool joined = user && !isResult(*user) && webSlots.lookup(user) == slot;
      if (!joined && blocks.insert(blockOfUse(*U)).second)
        loads += frequency.getBlockFreq(blockOfUse(*U)).getFrequency();
    }
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
    if (webSlots.lookup(phi.getIncomingValue(i)) == slot)
      reached += frequency.getBlockFreq(phi.getIncomingBlock(i)).getFrequency();
  return loads < reached;
}

void Splitter::eraseInMemory() {
  for (PHINode *phi : inMemory) {
    SmallVector<DbgVariableRecord *> records;
    findDbgValues(phi, records);
    for (DbgVariableRecord *record : records) {
      record->replaceVariableLocationOp(phi, webSlots.lookup(phi));
      if (record->getNumVariableLocationOps() == 1)
        record->setExpression(DIExpression::prepend(record->getExpression(), DIExpression::DerefBefore));
      else
        record->setKillLocation();
    }
    phi->replaceAllUsesWith(PoisonValue::get(phi->getType())); // it is used only by other phis of this list
  }
  for (PHINode *phi : inMemory)
    phi->eraseFromParent();
}

// For a value that lives across a call, memory is as good as a callee-saved register, and needs no code in the
// prologue. A register is better where the value is used often between calls, as in a loop whose usual path makes no
// suspending call. A value that crosses only yields needs no callee-saved register.
Splitter::ValueSet Splitter::valuesInRegister(const CrossingValues &crossing, const BlockFrequencyInfo &frequency) {
  ValueSet inRegister;
  frequencies.clear();
  for (const Point &P : points)
    frequencies.push_back(frequency.getBlockFreq(P.before).getFrequency());
  for (const CrossingValues::Value &V : crossing.values) {
    if (V.points.size() > Few || isFrame(V.value))
      continue;
    uint64_t crossed = 0, busy = 0;
    for (unsigned k : V.points)
      if (!isYieldOrPause(*points[k].at))
        crossed = std::max({crossed, frequencies[k], frequency.getEntryFreq().getFrequency()});
    auto *I = dyn_cast<Instruction>(V.value);
    busy = frequency.getBlockFreq(I ? I->getParent() : body).getFrequency();
    for (User *U : V.value->users())
      busy = std::max(busy, frequency.getBlockFreq(cast<Instruction>(U)->getParent()).getFrequency());
    if (busy / 4 > crossed)
      inRegister.insert(V.value);
  }
  return inRegister;
}

// Chooses the values that stay in a register although they cross many points, or points that are often reached. Loops
// use them most: LLVM's estimate of frequencies says that a call of the function would access each of them in the image
// more than 64 times. There are at most six of them, because so many registers of x86-64 keep their values in a call.
void Splitter::chooseThroughout(const CrossingValues &crossing, const BlockFrequencyInfo &frequency,
                                ValueSet &inRegister) {
  constexpr unsigned most = 6, often = 64;
  constexpr unsigned tooMany = 768; // of points: the register allocator's time grows with the square of their number
  throughout.clear();
  if (points.size() > tooMany)
    return;
  SmallVector<std::pair<uint64_t, const llvm::Value *>> candidates; // with how often the image would be accessed
  for (const CrossingValues::Value &V : crossing.values) {
    auto *I = dyn_cast<Instruction>(V.value);
    if (inRegister.contains(V.value) || (I && I->isTerminator()) || !isWord(V.value->getType()) ||
        (isFrame(V.value) && takesFrameLate))
      continue;
    uint64_t accesses = isFrame(V.value) ? 0 : frequency.getBlockFreq(I ? I->getParent() : body).getFrequency();
    SmallPtrSet<const BasicBlock *, 16> blocks;
    for (const Use &U : V.value->uses())
      if (const BasicBlock *BB = blockOfUse(U); crossing.isReloaded(V, BB) && blocks.insert(BB).second)
        accesses += frequency.getBlockFreq(BB).getFrequency();
    if (accesses / often > frequency.getEntryFreq().getFrequency())
      candidates.push_back({accesses, V.value});
  }
  stable_sort(candidates, [](const auto &a, const auto &b) { return a.first > b.first; });
  candidates.truncate(std::min<size_t>(candidates.size(), most));
  for (auto [accesses, value] : candidates) {
    throughout.insert(value);
    inRegister.insert(value);
  }
}

// Decides which of the phis of webs are in memory alone.
void Splitter::choosePhisInMemory(const Webs &found, const CrossingValues &crossing,
                                  const BlockFrequencyInfo &frequency) {
  DenseMap<const llvm::Value *, const CrossingValues::Value *> crosses;
  for (const CrossingValues::Value &V : crossing.values)
    crosses[V.value] = &V;
  for (const Webs::Web &web : found.webs)
    for (llvm::Value *member : web)
      if (auto *phi = dyn_cast<PHINode>(member); phi && !isResult(*phi)) {
        const CrossingValues::Value *known = crosses.lookup(phi), crossesNothing{phi, {}, {}};
        if (belongsInMemory(crossing, known ? *known : crossesNothing, frequency))
          inMemory.insert(phi);
      }
}

// Returns what stays in registers. Everything else has a slot, some of them one for a web. Where a store for a phi
// needs a block of its own, there is one afterwards, and `crossing` speaks of these too.
Splitter::ValueSet Splitter::chooseSlots(std::optional<CrossingValues> &crossing) {
  if (F.hasFnAttribute(Attribute::OptimizeNone) || F.hasOptSize())
    return {};
  for (;;) {
    DominatorTree tree(F);
    LoopInfo loops(tree);
    BranchProbabilityInfo probabilities(F, loops);
    BlockFrequencyInfo frequency(F, probabilities, loops);
    ValueSet inRegister = valuesInRegister(*crossing, frequency), slotted;
    chooseThroughout(*crossing, frequency, inRegister);
    for (const CrossingValues::Value &V : crossing->values)
      if (auto *I = dyn_cast<Instruction>(V.value);
          !isFrame(V.value) && !inRegister.contains(V.value) && !(I && I->isTerminator()))
        slotted.insert(V.value);
    const Webs found(
        F, *crossing, slotted, [&](const PHINode &phi) { return isResult(phi) || inRegister.contains(&phi); },
        frequency, probabilities);
    if (found.withoutPlace.empty()) {
      for (Point &P : points)
        P.frequency = frequency.getBlockFreq(P.before).getFrequency();
      makeWebs(found);
      choosePhisInMemory(found, *crossing, frequency);
      return inRegister;
    }
    for (auto &[from, to] : found.withoutPlace)
      SplitEdge(from, to);
    crossing.emplace(F, points);
  }
}

void Splitter::keep() {
  std::optional<CrossingValues> crossing(std::in_place, F, points);
  const ValueSet inRegister = chooseSlots(crossing);
  connect();
  for (const CrossingValues::Value &V : crossing->values) {
    // If a terminator defines the value (asm goto), there is no single place after it where the value could be stored.
    auto *I = dyn_cast<Instruction>(V.value);
    if (throughout.contains(V.value))
      keepInRegisterThroughout(*crossing, V);
    else if ((I && I->isTerminator()) || inRegister.contains(V.value))
      keepInRegister(*crossing, V);
    else
      keepInImage(*crossing, V);
  }
  SmallPtrSet<const llvm::Value *, 8> kept;
  for (const CrossingValues::Value &V : crossing->values)
    kept.insert(V.value);
  for (PHINode *phi : inMemory)
    if (!kept.contains(phi))
      keepInImage(*crossing, {phi, {}, {}});
  eraseInMemory();
}

// An image of one word may be given back by `pop`, which reads the word. If a part of it has just been stored, the read
// waits until the store has reached the cache: some ten cycles for every call. So the word is stored whole.
static void storeWholeWords(AllocaInst &slot, IntegerType *word, const DataLayout &DL) {
  for (User *U : make_early_inc_range(slot.users())) {
    auto *store = dyn_cast<StoreInst>(U);
    if (!store || store->getPointerOperand() != &slot || !store->isSimple())
      continue;
    Value *value = store->getValueOperand();
    if (!value->getType()->isIntegerTy() || DL.getTypeStoreSize(value->getType()) != slot.getAllocationSize(DL))
      continue; // only a part of the slot is stored
    if (value->getType()->getIntegerBitWidth() >= word->getBitWidth())
      continue;
    IRBuilder<> B(store);
    B.CreateAlignedStore(B.CreateZExt(value, word), &slot, Align(8));
    store->eraseFromParent();
  }
}

void Splitter::layOutImage() {
  if (frameSlot)
    aloneInImage.insert(frameSlot); // the tail to suspension, which does not exist yet, loads it
  SmallVector<SlotUses::Resumption> resumptions;
  for (auto [suspending, restored] : zip(suspendingBlocks, restoredBlocks))
    resumptions.push_back({suspending, restored});
  Layout layout = layOut(F, slots, aloneInImage, resumptions);
  if (keptFrame) { // where the image is, after the header, decides how its slots are aligned
    const uint64_t before = offsetToAlignment(CH_FRAME_HEADER, layout.align);
    for (uint64_t &offset : layout.offsets)
      offset += before;
    layout.end += before;
    homesAlign = std::max(homesAlign, layout.align);
  }
  imageSize = alignTo(layout.end, 8); // in whole words, because the runtime copies it word by word
  for (unsigned i = 0; i < slots.size(); ++i)
    if (slots[i] == dynamicLocals) {
      layout.offsets[i] = imageSize;
      imageSize += 8;
      keepsDynamicLocals = true;
    }
  const ArrayRef<uint64_t> offsets = layout.offsets;
  homesStart = alignTo(CH_FRAME_HEADER + imageSize, homesAlign);

  // The image and the addresses in it are computed before the branch to the dispatch, so they hold on all ways.
  BasicBlock *entry = BasicBlock::Create(abi.C, "entry", &F, body);
  IRBuilder<> B(entry);
  image = B.CreateAlloca(ArrayType::get(abi.I8, imageSize), nullptr, "image");
  image->setAlignment(layout.align);
  if (imageSize == 8 && DL.isLittleEndian() && all_of(offsets, [](uint64_t offset) { return offset == 0; }))
    for (AllocaInst *slot : slots)
      storeWholeWords(*slot, B.getInt64Ty(), DL);
  // Without optimisation an address that is computed in one block takes room on the stack, and a load at each use in
  // another block. So there each use computes it anew, which becomes a part of the instruction.
  const bool anew = F.hasFnAttribute(Attribute::OptimizeNone);
  for (unsigned i = 0; i < slots.size(); ++i) {
    dropLifetimes(slots[i]);
    auto placeOf = [&](IRBuilder<> &B) -> Value * {
      return offsets[i] ? B.CreateConstInBoundsGEP1_64(abi.I8, image, offsets[i], slots[i]->getName()) : image;
    };
    if (anew && slots[i] != frameSlot) {
      DIBuilder debug(M, false);
      replaceDbgDeclare(slots[i], image, debug, DIExpression::ApplyOffset, offsets[i]);
      replaceLocal(slots[i], placeOf);
      slots[i]->eraseFromParent();
      continue;
    }
    Value *place = placeOf(B);
    if (slots[i] == frameSlot)
      framePlace = place;
    slots[i]->replaceAllUsesWith(place);
    slots[i]->eraseFromParent();
  }
  // A debugger finds a home through the frame's slot.
  DIBuilder debug(M, false);
  for (auto &[A, offset] : homeOffsets) {
    if (keptFrame)
      replaceDbgDeclare(A, image, debug, DIExpression::ApplyOffset, homesStart - CH_FRAME_HEADER + offset);
    else
      replaceDbgDeclare(A, framePlace, debug, DIExpression::DerefBefore, homesStart + offset);
    A->replaceAllUsesWith(PoisonValue::get(A->getType()));
    A->eraseFromParent();
  }
  // Moves locals that stay on the native stack to the entry block, so that every activation allocates them.
  for (Instruction &I : make_early_inc_range(*body))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isa<ConstantInt>(A->getArraySize()))
      A->moveBefore(*entry, entry->begin());
  // The size of the image is known now, and so are the offsets of the homes.
  for (Instruction &I : instructions(F))
    if (I.getMetadata("charcoal.home")) {
      uint64_t offset = cast<ConstantInt>(I.getOperand(1))->getZExtValue();
      I.setOperand(1, ConstantInt::get(abi.I64, homesStart + offset));
      I.setMetadata("charcoal.home", nullptr);
    }
}

} // namespace charcoal
