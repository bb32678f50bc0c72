// Pass `outline`: `activate` statements become calls of ch_spawn, `async` statements calls of their bodies.
//
//   takes   what the front end made of the dialect (compiler/syntax/forms/): for each `activate` the marker
//           __charcoal_spawn(uid, …), followed by a call of the helper that clang made of the captured block,
//           which begins with __charcoal_body(uid) and one __charcoal_value(&v, sizeof v) per copied variable;
//           for each `async` likewise __charcoal_async(uid, scope) and a helper, and no copied variables;
//           annotations "charcoal.atomic" and "charcoal.never_waits" on functions
//   leaves  ch_spawn(handle, @helper, record, size, flags, site); the helper with the attribute
//           "charcoal-activity"; calls of async bodies with a bundle (async.h); functions with the attribute
//           "charcoal-atomic" or "charcoal-never-waits"; none of those markers
//
//   before                                          after
//     call @__charcoal_spawn(7, %act, 0, @site)       %record = alloca { ptr, [4 x i8] }
//     %captures = { &x, &i }                          store &x; copy the value of i
//     call @__captured_stmt(%captures)                call @ch_spawn(%act, @f.activity, %record, 12, 0, @site)
//   @__captured_stmt(%context)                      @f.activity(%context)
//     call @__charcoal_body(7)                        (x is at *(%context + 0), i at %context + 8)
//     call @__charcoal_value(&i, 4)
//
// Each kind of statement has a file: outline_activate.cpp, outline_async.cpp, outline_offload.cpp.
//
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-outline
#include "outline.h"
#include "declared.h"
#include "options.h"
#include "outliner.h"
#include "suspension_markers.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace charcoal {

static uint64_t uidOf(const CallInst &marker) { return cast<ConstantInt>(marker.getArgOperand(0))->getZExtValue(); }

Markers::Markers(Module &M) {
  for (StringRef name : {"__charcoal_spawn", "__charcoal_async"})
    if (Function *marker = M.getFunction(name))
      for (User *user : marker->users())
        if (auto *call = dyn_cast<CallInst>(user))
          byUid[uidOf(*call)].push_back(call);
}

CallInst *Markers::find(const Function &F, StringRef name, uint64_t uid) const {
  for (CallInst *call : byUid.lookup(uid))
    if (call->getFunction() == &F && calls(*call, name))
      return call;
  return nullptr;
}

void Markers::erase(CallInst *marker) {
  llvm::erase(byUid[uidOf(*marker)], marker);
  marker->eraseFromParent();
}

// Reads the statement whose body begins with the marker. Its `type` is null after an error.
static Statement readStatement(CallInst &bodyMarker) {
  Statement statement;
  statement.uid = uidOf(bodyMarker);
  statement.helper = bodyMarker.getFunction();
  for (User *user : make_early_inc_range(statement.helper->users())) {
    if (auto *invoke = dyn_cast<InvokeInst>(user)) // with -fexceptions, although no spawn throws
      statement.callers.push_back(changeToCall(invoke));
    else if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == statement.helper)
      statement.callers.push_back(call);
  }
  if (statement.callers.empty())
    return statement;
  if (AllocaInst *record = recordOf(*statement.callers[0]))
    statement.type = dyn_cast<StructType>(record->getAllocatedType());
  if (!statement.type)
    error(*statement.callers[0], "internal error: 'activate' or 'async' does not find the variables that it uses");
  return statement;
}

static void outline(CallInst *bodyMarker, Markers &markers, Outliving &outliving, Checks &checks) {
  Statement statement = readStatement(*bodyMarker);
  if (!statement.callers.empty() && !statement.type)
    return;
  bodyMarker->eraseFromParent();
  if (statement.callers.empty()) { // the statement is unreachable
    statement.helper->eraseFromParent();
    return;
  }
  inheritAttributes(*statement.helper, *statement.callers[0]->getFunction());
  if (markers.find(*statement.callers[0]->getFunction(), "__charcoal_spawn", statement.uid))
    outlineActivate(statement, markers, outliving, checks);
  else
    outlineAsync(statement, markers, outliving);
}

// Returns the calls that begin the bodies. Outer bodies come before those inside them, because an inner body's captures
// are named after variables of its spawner.
static std::vector<CallInst *> bodiesIn(Function &marker) {
  std::vector<CallInst *> bodies;
  for (User *user : marker.users())
    bodies.push_back(cast<CallInst>(user));
  std::sort(bodies.begin(), bodies.end(), [](CallInst *a, CallInst *b) { return uidOf(*a) < uidOf(*b); });
  return bodies;
}

static bool outlineModule(Module &M) {
  Checks checks;
  bool changed = markDeclared(M, checks.neverWaits);
  if (Function *marker = M.getFunction("__charcoal_body")) {
    Markers markers(M);
    Outliving outliving;
    for (CallInst *body : bodiesIn(*marker))
      outline(body, markers, outliving, checks);
    changed = true;
  }
  if (Function *marker = M.getFunction("__charcoal_offload"))
    for (User *user : make_early_inc_range(marker->users()))
      outlineOffload(cast<CallInst>(user));
  for (StringRef name : {"__charcoal_spawn", "__charcoal_async", "__charcoal_body", "__charcoal_value",
                         "__charcoal_offload", "__charcoal_dialect"})
    if (Function *marker = M.getFunction(name); marker && marker->use_empty())
      marker->eraseFromParent();
  addChecks(M, checks);
  return changed;
}

PreservedAnalyses OutlinePass::run(Module &M, ModuleAnalysisManager &) {
  return outlineModule(M) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
