// Interruptible versions that only call another function, in pass `duplicate`: of functions that have to have one and
// cannot be cloned, and of other names of a function.
#include "duplicator.h"
#include "suspension_markers.h"
#include "suspension.h"
#include "versions.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace charcoal {

// The interruptible version of a function that has to have one but cannot be cloned: it calls the plain one.
static Function *callerOf(Function &plain) {
  Module &M = *plain.getParent();
  auto *version =
      Function::Create(plain.getFunctionType(), GlobalValue::InternalLinkage, plain.getName() + VersionSuffix, M);
  version->addFnAttr(VersionAttr, plain.getName());
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", version));
  SmallVector<Value *> arguments;
  for (Argument &A : version->args())
    arguments.push_back(&A);
  CallInst *call = B.CreateCall(&plain, arguments);
  call->setIsNoInline(); // inlining would make interruptible code of a function that must be plain
  for (Attribute::AttrKind extension : {Attribute::SExt, Attribute::ZExt}) {
    for (Argument &A : plain.args())
      if (A.hasAttribute(extension)) {
        version->addParamAttr(A.getArgNo(), extension);
        call->addParamAttr(A.getArgNo(), extension);
      }
    if (plain.hasRetAttribute(extension)) {
      version->addRetAttr(extension);
      call->addRetAttr(extension);
    }
  }
  if (plain.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(call);
  return version;
}

void addVersionsForPointers(Module &M, Versions &versions, function_ref<bool(const Function &)> bounded) {
  SmallVector<Function *> work;
  for (Function &F : M)
    if (bounded(F) && isAddressTaken(F))
      work.push_back(&F);
  for (Function *F : work)
    (versions[F] = callerOf(*F))->addFnAttr(BoundedAttr);
}

void addVersionsInPlaceOfReplacements(Module &M, Versions &versions) {
  SmallVector<Function *> work;
  for (Function &F : M)
    if (isInPlaceOfReplacement(F) && !versions.count(&F) && !F.isVarArg() && !F.isInterposable() &&
        F.getCallingConv() == CallingConv::C &&
        none_of(F.args(), [](const Argument &A) { return A.hasByValAttr() || A.hasStructRetAttr(); }))
      work.push_back(&F);
  for (Function *F : work) {
    Function *version = versions[F] = callerOf(*F);
    version->addFnAttr(BoundedAttr);
    version->setLinkage(GlobalValue::ExternalLinkage);
    version->setVisibility(F->getVisibility());
    version->setDSOLocal(F->isDSOLocal());
  }
}

void addVersionsOfAliases(Module &M, const Versions &versions) {
  SmallVector<std::pair<GlobalAlias *, Function *>> work;
  for (GlobalAlias &alias : M.aliases())
    if (auto *F = dyn_cast<Function>(alias.getAliasee()->stripPointerCastsAndAliases());
        F && versions.count(F) && !alias.hasLocalLinkage() && !(F->isVarArg() && alias.isInterposable()))
      work.push_back({&alias, F});
  for (auto [alias, plain] : work) {
    Function *version = versions.lookup(plain);
    const std::string name = versionName(alias->getName(), plain->isVarArg());
    if (M.getNamedValue(name))
      continue;
    if (!alias->isInterposable()) {
      GlobalAlias::create(version->getValueType(), 0, alias->getLinkage(), name, version, &M)
          ->copyAttributesFrom(alias);
      continue;
    }
    auto *forward = Function::Create(version->getFunctionType(), alias->getLinkage(), name, M);
    forward->copyAttributesFrom(version);
    forward->setVisibility(alias->getVisibility());
    forward->setDSOLocal(alias->isDSOLocal());
    forward->addFnAttr(VersionAttr, alias->getName());
    IRBuilder<> B(BasicBlock::Create(M.getContext(), "", forward));
    SmallVector<Value *> arguments;
    for (Argument &A : forward->args())
      arguments.push_back(&A);
    CallInst *call = B.CreateCall(version, arguments);
    call->setAttributes(version->getAttributes().removeFnAttributes(M.getContext()));
    markSuspending(*call, false);
    if (version->getReturnType()->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(call);
  }
}

void bindActivities(Module &M, Versions &versions) {
  Function *spawn = M.getFunction("ch_spawn");
  if (!spawn)
    return;
  for (User *U : make_early_inc_range(spawn->users())) {
    auto *call = dyn_cast<CallBase>(U);
    auto *body = call ? dyn_cast<Function>(call->getArgOperand(1)->stripPointerCasts()) : nullptr;
    if (!body || body->isDeclaration() || isInterruptible(*body))
      continue;
    Function *&version = versions[body];
    if (!version)
      version = callerOf(*body);
    call->setArgOperand(1, version);
  }
}

void renameMain(Abi &abi, Versions &versions) {
  Module &M = abi.M;
  Function *plain = M.getFunction("main");
  if (!plain || plain->isDeclaration())
    return;
  if (!versions.count(plain))
    versions[plain] = callerOf(*plain);
  const GlobalValue::LinkageTypes linkage = plain->getLinkage(); // if it is weak, another main may replace it
  plain->setName("main.plain");
  plain->setLinkage(GlobalValue::InternalLinkage);
  plain->setComdat(nullptr);
  Function *main = Function::Create(FunctionType::get(abi.I32, {abi.I32, abi.Ptr, abi.Ptr}, false), linkage, "main", M);
  main->copyAttributesFrom(plain);
  main->setAttributes(AttributeList().addFnAttributes(
      M.getContext(), AttrBuilder(M.getContext(), plain->getAttributes().getFnAttrs())));
  main->removeFnAttr(Attribute::AlwaysInline);
  main->removeFnAttr(Attribute::NoReturn);
  for (StringRef kind : {"instrument-function-entry", "instrument-function-exit", "instrument-function-entry-inlined",
                         "instrument-function-exit-inlined", "instrument-function-entry-bare"})
    main->removeFnAttr(kind); // main.plain has these attributes, and reports its entry and exit itself
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", main));
  CallInst *code = B.CreateCall(abi.main(), {versions[plain], main->getArg(0), main->getArg(1), main->getArg(2)});
  B.CreateRet(code);
  if (plain->use_empty())
    plain->eraseFromParent();
}

} // namespace charcoal
