// Pass `versions`: the table by which an address finds its interruptible version.
//
//   takes   the module after `duplicate`, before anything is optimised: with its address in a table, an interruptible
//           version keeps its type
//   leaves  for each function whose address is taken here, {&f, &f.int} in the section ch_versions; a constructor,
//           shared by all objects of an executable or shared object, that registers the section with the runtime
//
// An entry is in the module that takes the address, not in the one that defines the function. So a function whose
// address nobody takes costs nothing, and the linker can still drop its interruptible version if that is unused.
//
// Pass `unused` drops entries for functions of other modules whose only uses were in code that turned out to be dead.
// Such a function may not exist at all, and a plain link would not need it.
#include "versions.h"
#include "abi.h"
#include "suspension_markers.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace charcoal {

static constexpr StringLiteral Section = "ch_versions";

bool isAddressTaken(const Function &F) {
  SmallVector<const User *> work;
  SmallPtrSet<const User *, 16> seen;
  auto visit = [&](const Value &V) {
    for (const Use &U : V.uses()) {
      auto *CB = dyn_cast<CallBase>(U.getUser());
      if (CB && CB->isCallee(&U))
        continue;
      if (isa<BlockAddress>(U.getUser()) || isa<GlobalIFunc>(U.getUser()))
        continue;
      work.push_back(U.getUser());
    }
  };
  visit(F);
  while (!work.empty()) {
    const User *U = work.pop_back_val();
    if (isa<Instruction>(U))
      return true;
    if (auto *alias = dyn_cast<GlobalAlias>(U); alias && !seen.insert(alias).second)
      continue;
    else if (alias) { // the address of the alias is the function's address
      visit(*alias);
      continue;
    }
    if (auto *G = dyn_cast<GlobalVariable>(U)) {
      if (!G->getName().starts_with("llvm."))
        return true;
      continue;
    }
    if (seen.insert(U).second)
      visit(*U);
  }
  return false;
}

// Calls the runtime with the bounds of this module's section.
static void addRegistration(Abi &abi, StringRef name, FunctionCallee callee, bool atStart) {
  Module &M = abi.M;
  auto bound = [&](const Twine &symbol) {
    auto *G = cast<GlobalVariable>(M.getOrInsertGlobal(symbol.str(), abi.I8));
    G->setVisibility(GlobalValue::HiddenVisibility);
    G->setLinkage(GlobalValue::ExternalWeakLinkage); // the linker may have dropped all entries
    return G;
  };
  Function *F = Function::Create(FunctionType::get(abi.Void, false), GlobalValue::LinkOnceODRLinkage, name, M);
  F->setComdat(M.getOrInsertComdat(name));
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setDSOLocal(true);
  F->setDoesNotThrow();
  IRBuilder<> B(BasicBlock::Create(abi.C, "", F));
  B.CreateCall(callee, {bound("__start_" + Section), bound("__stop_" + Section)});
  B.CreateRetVoid();
  if (atStart)
    appendToGlobalCtors(M, F, 101, F);
  else
    appendToGlobalDtors(M, F, 101, F);
}

static bool hasVersion(const Function &F) {
  const Function *version = F.getParent()->getFunction(versionName(F.getName(), F.isVarArg()));
  return version && isInterruptible(*version);
}

// Whether the function, as this module sees it, takes variable arguments. After `int f();` that is not known, and then
// the linker finds a version only if it takes none.
static bool takesVariableArguments(const Function &F) {
  return F.isVarArg() && !(F.isDeclaration() && F.getFunctionType()->getNumParams() == 0);
}

PreservedAnalyses VersionsPass::run(Module &M, ModuleAnalysisManager &) {
  Abi abi(M);
  std::vector<std::pair<Constant *, Constant *>> entries;
  std::vector<Function *> functions;
  for (Function &F : M)
    functions.push_back(&F);
  auto *entryType = StructType::get(abi.C, {abi.Ptr, abi.Ptr});
  std::vector<GlobalValue *> kept, retained;
  for (Function *F : functions) {
    StringRef name = F->getName();
    if (F->isIntrinsic() || takesVariableArguments(*F) || name.starts_with("charcoal.") || name.starts_with("llvm.") ||
        name.ends_with(VersionSuffix) || !(isAddressTaken(*F) || (hasVersion(*F) && F->isInterposable())))
      continue;
    Function *version = M.getFunction(versionName(name == "main.plain" ? "main" : name, /*isVariadic=*/false));
    Constant *key = F, *value;
    const bool isHere = !F->isDeclaration() && !isChosenElsewhere(*F);
    if (isHere) {
      if (!version || version->isDeclaration())
        continue;
      value = version;
      // The linker may prefer another module's definition to a weak one, so the entry is for the body in this module.
      if (F->isInterposable())
        key = bodyInThisModule(*F);
    } else if (version && isInterruptible(*version)) { // made in this module for a function of the C library
      value = version;
    } else {
      if (F->hasFnAttribute(Attribute::NoCallback))
        continue;
      value = externalVersion(*F, F->getFunctionType(), /*isVariadic=*/false);
    }
    auto *entry = new GlobalVariable(M, entryType, false, GlobalValue::PrivateLinkage,
                                     ConstantStruct::get(entryType, {key, value}), "charcoal.version." + name);
    entry->setSection(Section);
    entry->setAlignment(Align(8));
    if (isHere) {
      // The linker drops the entry together with the function.
      entry->setMetadata(LLVMContext::MD_associated, MDNode::get(abi.C, {ValueAsMetadata::get(F)}));
      if (F->hasComdat())
        entry->setComdat(F->getComdat());
      kept.push_back(entry);
    } else {
      retained.push_back(entry);
    }
  }
  if (kept.empty() && retained.empty())
    return PreservedAnalyses::all();
  if (!kept.empty())
    appendToCompilerUsed(M, kept);
  if (!retained.empty())
    appendToUsed(M, retained);
  addRegistration(abi, "charcoal.versions.register", abi.versionsRegister(), true);
  addRegistration(abi, "charcoal.versions.unregister", abi.versionsUnregister(), false);
  return PreservedAnalyses::none();
}

// The function of an entry for a function that is defined elsewhere.
static Function *externalFunctionOf(GlobalVariable &G) {
  auto *entry = G.getSection() == Section ? dyn_cast<ConstantStruct>(G.getInitializer()) : nullptr;
  auto *F = entry ? dyn_cast<Function>(entry->getOperand(0)) : nullptr;
  return F && F->isDeclaration() ? F : nullptr;
}

PreservedAnalyses UnusedPass::run(Module &M, ModuleAnalysisManager &) {
  SmallPtrSet<Constant *, 8> unused;
  for (GlobalVariable &G : M.globals())
    if (Function *F = G.hasInitializer() ? externalFunctionOf(G) : nullptr) {
      F->removeDeadConstantUsers();
      if (F->hasOneUse())
        unused.insert(&G);
    }
  if (unused.empty())
    return PreservedAnalyses::all();
  removeFromUsedLists(M, [&](Constant *C) { return unused.contains(C->stripPointerCasts()); });
  for (Constant *entry : unused)
    cast<GlobalVariable>(entry)->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace charcoal
