// Reads clang's record of captures. The IR is as clang wrote it, not optimized: a captured variable's address is always
// loaded from a GEP on the context.
#include "outliner.h"
#include "suspension_markers.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace charcoal {

AllocaInst *recordOf(const CallInst &caller) {
  return dyn_cast<AllocaInst>(caller.getArgOperand(0)->stripPointerCasts());
}

SmallVector<Value *, 8> contexts(Function &helper) {
  SmallVector<Value *, 8> result = {helper.getArg(0)};
  for (User *user : helper.getArg(0)->users())
    if (auto *store = dyn_cast<StoreInst>(user))
      for (User *reader : store->getPointerOperand()->users())
        if (auto *load = dyn_cast<LoadInst>(reader))
          result.push_back(load);
  return result;
}

SmallVector<GetElementPtrInst *, 8> fieldPointers(Value *record, unsigned k) {
  SmallVector<GetElementPtrInst *, 8> result;
  for (User *user : record->users())
    if (auto *gep = dyn_cast<GetElementPtrInst>(user))
      if (gep->getPointerOperand() == record && gep->getNumIndices() == 2)
        if (auto *index = dyn_cast<ConstantInt>(gep->getOperand(2)); index && index->getZExtValue() == k)
          result.push_back(gep);
  return result;
}

Value *storedField(AllocaInst *record, unsigned k) {
  for (GetElementPtrInst *gep : fieldPointers(record, k))
    for (User *user : gep->users())
      if (auto *store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == gep)
        return store->getValueOperand();
  return nullptr;
}

DILocalVariable *declaredVariable(Value *storage) {
  if (!storage)
    return nullptr;
  for (DbgVariableRecord *record : findDVRDeclares(storage))
    return record->getVariable();
  if (auto *alloca = dyn_cast<AllocaInst>(storage)) // when clang optimizes it describes variables in this way
    for (DbgVariableRecord *record : at::getDVRAssignmentMarkers(alloca))
      return record->getVariable();
  return nullptr;
}

// Returns the ends of blocks with variable-length locals that may be executed after `start` and before the scope is
// left.
static SmallSetVector<Instruction *, 4> releasesInScope(Instruction &start, const Value *scope) {
  SmallSetVector<Instruction *, 4> releases; // the block of `start` may be walked through twice
  SmallVector<BasicBlock::iterator> work{std::next(start.getIterator())};
  SmallPtrSet<const BasicBlock *, 16> seen;
  while (!work.empty())
    for (BasicBlock::iterator at = work.pop_back_val();; ++at) {
      if (calls(*at, "ch_scope_leave") && cast<CallBase>(*at).getArgOperand(0) == scope)
        break;
      if (auto *II = dyn_cast<IntrinsicInst>(at); II && II->getIntrinsicID() == Intrinsic::stackrestore)
        releases.insert(II);
      if (!at->isTerminator())
        continue;
      for (BasicBlock *next : successors(&*at))
        if (seen.insert(next).second)
          work.push_back(next->begin());
      break;
    }
  return releases;
}

void Outliving::variable(Value *variable, Instruction &start, const Value *scope) {
  auto *local = dyn_cast_or_null<AllocaInst>(variable);
  if (!local)
    return;
  if (variables.insert(local).second)
    for (User *user : make_early_inc_range(local->users()))
      if (auto *I = cast<Instruction>(user); I->isLifetimeStartOrEnd())
        I->eraseFromParent();
  if (!local->isStaticAlloca())
    for (Instruction *release : releasesInScope(start, scope))
      release->eraseFromParent();
}

void Outliving::pointeesOf(Value *variable, Instruction &start, const Value *scope) {
  auto *pointer = dyn_cast_or_null<AllocaInst>(variable);
  if (!pointer)
    return;
  auto [entry, isNew] = pointees.try_emplace(pointer);
  SmallSetVector<AllocaInst *, 1> &locals = entry->second;
  if (isNew)
    for (User *user : pointer->users())
      if (auto *store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == pointer)
        if (auto *local = dyn_cast<AllocaInst>(getUnderlyingObject(store->getValueOperand())))
          locals.insert(local);
  for (AllocaInst *local : locals)
    this->variable(local, start, scope);
}

void nameHelper(Function &helper, const Function &spawner, StringRef suffix) {
  StringRef base = spawner.getName();
  base = base.substr(0, std::min(base.find(".activity"), base.find(".async")));
  helper.setName(base + suffix);
  if (DISubprogram *described = helper.getSubprogram(); described && described->isDistinct()) {
    MDString *name = MDString::get(helper.getContext(), helper.getName());
    described->replaceOperandWith(2, name); // name
    if (described->getRawLinkageName())
      described->replaceOperandWith(3, name); // linkage name
  }
}

} // namespace charcoal
