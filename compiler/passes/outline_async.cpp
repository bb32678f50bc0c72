// `async` statements, in pass `outline`: the body becomes a function that gets the addresses of what it captures as
// arguments, not in a record. Its call has a bundle (async.h):
//
//     call @__charcoal_async(8, %scope)               call @f.async(%x, %i) [ "charcoal.async"(%scope, %x, %i) ]
//     call @__captured_stmt(%captures)
//
// Where the helper uses clang's record in an unexpected way, it keeps the record as its only argument.
#include "async.h"
#include "options.h"
#include "outliner.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

using namespace llvm;

namespace charcoal {

namespace {

// How a helper uses clang's record.
struct RecordUses {
  SmallVector<std::pair<LoadInst *, unsigned>> loads; // of the fields, with their numbers
  SmallVector<Instruction *> dead;                    // what nobody needs when the loads are gone
};

} // namespace

// Returns nothing if the helper uses the record in any other way.
static std::optional<RecordUses> recordUses(Function &helper, StructType *type) {
  RecordUses uses;
  for (Value *record : contexts(helper)) {
    unsigned accounted = 0;
    for (unsigned k = 0; k < type->getNumElements(); ++k)
      for (GetElementPtrInst *field : fieldPointers(record, k)) {
        ++accounted;
        uses.dead.push_back(field);
        for (User *user : field->users()) {
          auto *load = dyn_cast<LoadInst>(user);
          if (!load || load->getType() != type->getElementType(k))
            return std::nullopt;
          uses.loads.push_back({load, k});
        }
      }
    if (record == helper.getArg(0))
      continue;
    if (accounted != record->getNumUses())
      return std::nullopt;
    uses.dead.push_back(cast<Instruction>(record));
  }
  return uses;
}

// Clang has stored the record's address in a local, which is not needed any more.
static void forgetRecord(Argument *record) {
  for (User *user : make_early_inc_range(record->users()))
    if (auto *store = dyn_cast<StoreInst>(user)) {
      auto *place = dyn_cast<AllocaInst>(store->getPointerOperand());
      store->eraseFromParent();
      if (place && place->use_empty())
        place->eraseFromParent();
    } else {
      cast<Instruction>(user)->replaceUsesOfWith(record, PoisonValue::get(record->getType())); // in debug records
    }
  record->replaceAllUsesWith(PoisonValue::get(record->getType()));
}

// Moves the helper's code into a new function, in which the fields of clang's record are arguments. Returns null if
// that cannot be done.
static Function *takeArguments(Function &helper, StructType *type) {
  std::optional<RecordUses> uses = recordUses(helper, type);
  if (!uses)
    return nullptr;
  auto *F = Function::Create(FunctionType::get(helper.getReturnType(), type->elements(), false), helper.getLinkage(),
                             helper.getAddressSpace(), "", helper.getParent());
  LLVMContext &C = helper.getContext();
  F->copyAttributesFrom(&helper);
  F->setAttributes(AttributeList().addFnAttributes(C, AttrBuilder(C, helper.getAttributes().getFnAttrs())));
  F->copyMetadata(&helper, 0);
  helper.setSubprogram(nullptr);
  F->splice(F->begin(), &helper);
  for (auto &[load, k] : uses->loads) {
    load->replaceAllUsesWith(F->getArg(k));
    load->eraseFromParent();
  }
  for (Instruction *I : uses->dead)
    I->eraseFromParent();
  forgetRecord(helper.getArg(0));
  return F;
}

// Tells the debugger that the captured variables are where the arguments point.
static void describeArguments(Function &helper, ArrayRef<DILocalVariable *> variables) {
  DISubprogram *scope = helper.getSubprogram();
  if (!scope)
    return;
  const bool optimized = !helper.hasFnAttribute(Attribute::OptimizeNone);
  DIBuilder builder(*helper.getParent(), /*AllowUnresolved=*/false, scope->getUnit());
  const DILocation *place = DILocation::get(helper.getContext(), scope->getScopeLine(), 0, scope);
  IRBuilder<> entry(&*helper.getEntryBlock().getFirstInsertionPt());
  for (unsigned k = 0; k < variables.size(); ++k) {
    if (!variables[k] || variables[k]->getName().starts_with("__charcoal_"))
      continue;
    DILocalVariable *variable =
        builder.createAutoVariable(scope, variables[k]->getName(), variables[k]->getFile(), variables[k]->getLine(),
                                   variables[k]->getType(), /*AlwaysPreserve=*/true);
    DIExpression *deref = builder.createExpression({dwarf::DW_OP_deref});
    BasicBlock::iterator point = helper.getEntryBlock().getFirstInsertionPt();
    if (optimized) {
      builder.insertDbgValueIntrinsic(helper.getArg(k), variable, deref, place, point);
    } else {
      AllocaInst *slot = entry.CreateAlloca(helper.getArg(k)->getType(), nullptr, "capture");
      entry.CreateStore(helper.getArg(k), slot);
      builder.insertDeclare(slot, variable, deref, place, point);
    }
  }
}

// Replaces the call of the helper by a call with what clang has stored in its record.
static CallInst *callWithArguments(CallInst *call, Function *body, StructType *type) {
  IRBuilder<> B(call);
  SmallVector<Value *> arguments;
  for (unsigned k = 0; k < type->getNumElements(); ++k)
    arguments.push_back(B.CreateLoad(type->getElementType(k), B.CreateStructGEP(type, call->getArgOperand(0), k)));
  CallInst *direct = B.CreateCall(body, arguments);
  direct->setDoesNotThrow();
  direct->setDebugLoc(call->getDebugLoc());
  call->eraseFromParent();
  return direct;
}

void outlineAsync(Statement &statement, Markers &markers, Outliving &outliving) {
  StructType *type = statement.type;
  SmallVector<DILocalVariable *> variables;
  for (unsigned k = 0; k < type->getNumElements(); ++k)
    variables.push_back(declaredVariable(storedField(recordOf(*statement.callers[0]), k)));
  for (CallInst *call : statement.callers)
    if (CallInst *marker = markers.find(*call->getFunction(), "__charcoal_async", statement.uid))
      for (unsigned k = 0; k < type->getNumElements(); ++k)
        outliving.variable(storedField(recordOf(*call), k), *call, marker->getArgOperand(1));
  Function *flat = takeArguments(*statement.helper, type);
  Function &body = flat ? *flat : *statement.helper;
  if (flat)
    describeArguments(body, variables);
  SmallVector<CallInst *> started;
  for (CallInst *call : statement.callers) {
    CallInst *marker = markers.find(*call->getFunction(), "__charcoal_async", statement.uid);
    if (!marker) {
      error(*call, "internal error: the body of an 'async' statement has lost its beginning");
      continue;
    }
    nameHelper(body, *call->getFunction(), ".async");
    if (flat)
      call = callWithArguments(call, flat, type);
    started.push_back(makeAsync(*call, marker->getArgOperand(1)));
    markers.erase(marker);
  }
  if (flat)
    statement.helper->eraseFromParent();
  if (started.size() == 1)
    shorten(*started[0]);
}

} // namespace charcoal
