// Interruptible versions that are clones, in pass `duplicate`: their names and linkage, the attributes that no longer
// hold, and the tables of labels that belong to them.
#include "duplicator.h"
#include "suspension_markers.h"
#include "variadic.h"
#include "versions.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace charcoal {

ReplacedNames readReplacedNames(const Module &M) {
  ReplacedNames names;
  const GlobalVariable *all = M.getGlobalVariable("llvm.global.annotations");
  auto *entries = all ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
  if (!entries)
    return names;
  for (Value *entry : entries->operands()) {
    auto *fields = cast<ConstantStruct>(entry);
    auto *F = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
    auto *text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    auto *data = text ? dyn_cast<ConstantDataArray>(text->getInitializer()) : nullptr;
    if (!F || !data || !data->isCString())
      continue;
    StringRef name = data->getAsCString();
    if (name.consume_front("charcoal.replaces="))
      names[F] = name.str();
  }
  return names;
}

SmallVector<Attribute::AttrKind, 3> droppedOfParameters(const Module &M) {
  if (Triple(M.getTargetTriple()).getArch() == Triple::x86_64)
    return {Attribute::NoAlias, Attribute::Returned, Attribute::StructRet};
  return {Attribute::NoAlias, Attribute::Returned};
}

// Static tables of label addresses, as for computed goto, and of addresses of such tables: the clone gets tables of its
// own labels. No other function uses them (labels.h).
static void cloneLabelTables(Function &from, Function &to, ValueToValueMapTy &map) {
  ValueToValueMapTy tableMap;
  SmallVector<User *> work;
  for (BasicBlock &BB : from)
    if (BlockAddress *address = BB.hasAddressTaken() ? BlockAddress::lookup(&BB) : nullptr) {
      tableMap[address] = BlockAddress::get(&to, cast<BasicBlock>(map[&BB]));
      work.append(address->user_begin(), address->user_end());
    }
  SetVector<GlobalVariable *> tables;
  SmallPtrSet<const User *, 16> seen;
  while (!work.empty()) {
    User *U = work.pop_back_val();
    if (!isa<Constant>(U) || U->getName().starts_with("llvm.") || !seen.insert(U).second)
      continue;
    if (auto *G = dyn_cast<GlobalVariable>(U))
      tables.insert(G);
    work.append(U->user_begin(), U->user_end());
  }
  if (tables.empty())
    return;
  for (GlobalVariable *G : tables) { // first all of them, because they may lead to each other in a circle
    auto *copy = new GlobalVariable(*to.getParent(), G->getValueType(), G->isConstant(), GlobalValue::InternalLinkage,
                                    nullptr, G->getName() + VersionSuffix);
    copy->copyAttributesFrom(G);
    tableMap[G] = copy;
  }
  for (GlobalVariable *G : tables)
    cast<GlobalVariable>(tableMap[G])->setInitializer(MapValue(G->getInitializer(), tableMap));
  for (Instruction &I : instructions(to))
    RemapInstruction(&I, tableMap, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
}

Function *cloneVersion(Function &F, const ReplacedNames &replacedNames) {
  Module &M = *F.getParent();
  ValueToValueMapTy map;
  Function *G;
  if (F.isVarArg()) {
    G = Function::Create(variadicVersionType(*F.getFunctionType()), F.getLinkage(), "", M);
    for (Argument &A : F.args())
      map[&A] = G->getArg(A.getArgNo());
    SmallVector<ReturnInst *> returns;
    CloneFunctionInto(G, &F, map, CloneFunctionChangeType::LocalChangesOnly, returns);
    // No compiler inlines a function that reads its variable arguments, so those that call it to report an error are
    // small. With its body in them they would not be inlined themselves.
    if (lowerVaStart(*G) && !G->hasFnAttribute(Attribute::AlwaysInline))
      G->addFnAttr(Attribute::NoInline);
  } else {
    G = CloneFunction(&F, map);
  }
  auto named = replacedNames.find(&F);
  const StringRef name = named == replacedNames.end() ? F.getName() : StringRef(named->second);
  G->setName(versionName(name, F.isVarArg()));
  if (named != replacedNames.end()) {
    G->setLinkage(GlobalValue::ExternalLinkage);
    G->setVisibility(GlobalValue::DefaultVisibility);
    G->setDSOLocal(false); // the plain function may have been hidden
    G->addFnAttr(NamedAttr);
  }
  // Another module defines this function, too, and its definition is the one that is linked. That module may lack an
  // interruptible version, so this one is kept, but for this module alone: it may be compiled for another processor.
  if (F.hasAvailableExternallyLinkage())
    G->setLinkage(GlobalValue::InternalLinkage);
  G->setComdat(nullptr);
  if (F.hasComdat()) {
    Comdat *group = M.getOrInsertComdat(G->getName());
    group->setSelectionKind(F.getComdat()->getSelectionKind());
    G->setComdat(group);
  }
  G->addFnAttr(VersionAttr, name);
  for (StringRef kind : {AtomicAttr, ActivityAttr})
    G->removeFnAttr(kind);
  // These attributes hold for the plain version, but not for one that may give way in the middle.
  for (Attribute::AttrKind kind :
       {Attribute::NoReturn, Attribute::WillReturn, Attribute::Memory, Attribute::NoSync, Attribute::NoFree,
        Attribute::NoRecurse, Attribute::NoCallback, Attribute::MustProgress, Attribute::Speculatable})
    G->removeFnAttr(kind);
  // Interruptible versions have one calling convention: the runtime calls them without knowing of these attributes.
  for (StringRef kind : {"no_caller_saved_registers", "no_callee_saved_registers"})
    G->removeFnAttr(kind);
  for (Argument &A : G->args())
    for (Attribute::AttrKind kind : droppedOfParameters(M))
      A.removeAttr(kind);
  G->removeRetAttr(Attribute::NoAlias);
  if (G->hasPrefixData())
    G->setPrefixData(nullptr);
  if (G->hasPrologueData())
    G->setPrologueData(nullptr);
  G->eraseMetadata(LLVMContext::MD_func_sanitize);
  G->eraseMetadata(LLVMContext::MD_kcfi_type);
  G->eraseMetadata(LLVMContext::MD_type);
  cloneLabelTables(F, *G, map);
  return G;
}

} // namespace charcoal
