// See checks.h.
#include "checks.h"
#include "leaves.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/Stack.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace charcoal::syntax {

void onDeepStack(llvm::function_ref<void()> step) {
  runWithSufficientStackSpace([] {}, step);
}

bool anyPart(const Stmt *whole, llvm::function_ref<bool(const Stmt *)> test) {
  if (isa<UnaryExprOrTypeTraitExpr>(whole))
    return false;
  const Stmt *only = nullptr;
  if (auto *captured = dyn_cast<CapturedStmt>(whole))
    only = captured->getCapturedStmt();
  else if (auto *choice = dyn_cast<GenericSelectionExpr>(whole); choice && !choice->isResultDependent())
    only = choice->getResultExpr();
  else if (auto *choice = dyn_cast<ChooseExpr>(whole); choice && !choice->isConditionDependent())
    only = choice->getChosenSubExpr();
  bool found = false;
  onDeepStack([&] {
    found = only ? test(only) : llvm::any_of(whole->children(), [&](const Stmt *part) { return part && test(part); });
  });
  return found;
}

const FunctionDecl *Body::function() const { return dyn_cast<FunctionDecl>(of); }
bool Body::isMain() const { return function() && function()->isMain(); }

using VisitBody = llvm::function_ref<void(const Body &)>;

static void literalsIn(const Stmt *statement, VisitBody visit) {
  if (auto *literal = dyn_cast<BlockExpr>(statement)) {
    visit({literal->getBody(), literal->getBlockDecl(), literal->getFunctionType()->getReturnType()});
    statement = literal->getBody();
  }
  anyPart(statement, [&](const Stmt *part) { return literalsIn(part, visit), false; });
}

void eachBody(const Decl &declaration, VisitBody visit) {
  const Stmt *whole = nullptr;
  if (auto *function = dyn_cast<FunctionDecl>(&declaration); function && function->doesThisDeclarationHaveABody()) {
    whole = function->getBody();
    visit({whole, function, function->getReturnType()});
  } else if (auto *variable = dyn_cast<VarDecl>(&declaration))
    whole = variable->getInit();
  if (whole && declaration.getASTContext().getLangOpts().Blocks)
    literalsIn(whole, visit);
}

bool isLoop(const Stmt *s) { return isa<ForStmt>(s) || isa<WhileStmt>(s) || isa<DoStmt>(s); }

llvm::StringRef calledName(const Stmt *statement) {
  auto *call = dyn_cast_or_null<CallExpr>(statement);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return callee && callee->getIdentifier() ? callee->getName() : "";
}

bool isAnnotated(const FunctionDecl &function, llvm::StringRef annotation) {
  for (const auto *attribute : function.specific_attrs<AnnotateAttr>())
    if (attribute->getAnnotation() == annotation)
      return true;
  return false;
}

const FunctionDecl *definitionWithBody(const FunctionDecl &function) {
  const FunctionDecl *definition = function.getDefinition();
  return definition && definition->getBody() ? definition : nullptr;
}

bool isOurs(const VarDecl &variable) {
  return variable.getIdentifier() && variable.getName().starts_with("__charcoal_");
}

bool Unit::isDeclared(llvm::StringRef name) const {
  return !ast->getTranslationUnitDecl()->lookup(&ast->Idents.get(name)).empty();
}

bool Unit::mayBlock(const FunctionDecl &function) const {
  if (marked.contains(function.getCanonicalDecl()))
    return true;
  return function.getIdentifier() && function.isExternallyVisible() &&
         isDeclared(("__charcoal_may_block_" + function.getName()).str());
}

SourceLocation Unit::written(SourceLocation place) const {
  const SourceManager &sources = ast->getSourceManager();
  return place.isMacroID() ? sources.getImmediateExpansionRange(place).getBegin() : place;
}

std::string Unit::nameAsWritten(const CallExpr &call) const {
  const llvm::StringRef name = calledName(&call);
  if (isWaituntil(name))
    return "waituntil";
  if (name == "__charcoal_yield")
    return "yield";
  if (name.starts_with("ch_") && call.getBeginLoc().isMacroID()) {
    const llvm::StringRef macro =
        Lexer::getImmediateMacroName(call.getBeginLoc(), ast->getSourceManager(), ast->getLangOpts());
    if (macro.starts_with("ch_"))
      return macro.str();
  }
  return name.str();
}

bool isWaituntil(llvm::StringRef name) { return name == "__charcoal_wait_any" || name == "__charcoal_wait_next"; }

// Whether the function waits for something inside the program. charcoal/blocking.h does not list such functions, so
// they are known by their names, or because they have a clause form for `waituntil`.
bool Unit::isWait(llvm::StringRef name) const {
  if (name.contains("try") || name.ends_with("__clause"))
    return false;
  if (name.contains("wait") || name.contains("join") || name.contains("suspend") || name.ends_with("_lock"))
    return true;
  name.consume_back("_some"); // of several messages
  return isDeclared((name + "__clause").str());
}

bool Unit::isKnownToWait(const FunctionDecl &function) const {
  const llvm::StringRef name = function.getIdentifier() ? function.getName() : "";
  if (name.starts_with("__charcoal_wait_")) // the steps of a `waituntil`
    return isWaituntil(name);
  if (mayBlock(function))
    return true;
  const bool isSystem =
      !name.empty() && (ast->getSourceManager().isInSystemHeader(function.getLocation()) || name.starts_with("ch_"));
  return isSystem && isWait(name);
}

bool Unit::mayWait(const CallExpr &call) { return may(call, Ask::Wait); }
bool Unit::mayGiveWay(const CallExpr &call) { return may(call, Ask::GiveWay); }

bool Unit::may(const CallExpr &call, Ask ask) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (!callee)
    return true;
  const llvm::StringRef name = calledName(&call);
  if (name == "__charcoal_yield" || name == "ch_reschedule" || name == "ch_yield_to")
    return ask == Ask::GiveWay;
  if (isWaituntil(name))
    return true;
  if (name.starts_with("__charcoal_") || name.starts_with("__builtin_"))
    return false;
  if (isAnnotated(*callee, "charcoal.atomic"))
    return false;
  if (mayBlock(*callee))
    return true;
  const FunctionDecl *definition = definitionWithBody(*callee);
  if (!definition) {
    const bool isSystem = callee->getBuiltinID() != 0 ||
                          ast->getSourceManager().isInSystemHeader(callee->getLocation()) || name.starts_with("ch_");
    return !isSystem || isWait(name);
  }
  auto &answers = ask == Ask::Wait ? waits : givesWay;
  const auto [known, isNew] = answers.try_emplace(definition, ask == Ask::GiveWay); // a recursion gives way
  if (!isNew)
    return known->second;
  const bool answer = bodyMay(definition->getBody(), ask, false);
  return answers[definition] = answer;
}

bool Unit::bodyMay(const Stmt *statement, Ask ask, bool inLoop) {
  if (auto *block = dyn_cast<CompoundStmt>(statement)) {
    bool isAtomic = false, isSpawned = false;
    return anyPart(block, [&](const Stmt *one) {
      const llvm::StringRef marker = calledName(one);
      isAtomic = (isAtomic && marker != "__charcoal_atomic_leave") || marker == "__charcoal_atomic_enter";
      const bool isLeftOut = isAtomic || (isSpawned && isa<CapturedStmt>(one));
      isSpawned = marker == "__charcoal_spawn";
      return !isLeftOut && bodyMay(one, ask, inLoop);
    });
  }
  if (auto *call = dyn_cast<CallExpr>(statement)) {
    if (may(*call, ask))
      return true;
    // Calls in a loop: each time around is a yield point.
    const FunctionDecl *callee = call->getDirectCallee();
    if (ask == Ask::GiveWay && inLoop && callee && callee->getDefinition())
      return true;
  }
  inLoop |= isLoop(statement);
  return anyPart(statement, [&](const Stmt *part) { return bodyMay(part, ask, inLoop); });
}

namespace {

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &compiler, const Warnings &warnings)
      : compiler(compiler), warnings(warnings), unit(compiler, this->warnings) {}

  // Removes the annotations that only the front end needs, because code generation, which comes next, would make
  // references to the functions of them. In a precompiled header they stay, because the files that include it need
  // them. The annotations of functions that never wait stay for the passes, which remove them.
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *one : group)
      if (auto *function = dyn_cast<FunctionDecl>(one))
        markLeaf(compiler.getASTContext(), *function);
    if (compiler.getFrontendOpts().ProgramAction == frontend::GeneratePCH)
      return true;
    unit.ast = &compiler.getASTContext();
    const bool isDialect = unit.isDeclared("__charcoal_dialect");
    for (Decl *one : group) {
      auto *function = dyn_cast<FunctionDecl>(one);
      if (function) {
        take(*function, "charcoal.may_block", unit.marked);
        take(*function, neverWaits, unit.neverWaits);
        if (function->doesThisDeclarationHaveABody() && unit.neverWaits.contains(function->getCanonicalDecl()))
          function->addAttr(AnnotateAttr::CreateImplicit(*unit.ast, neverWaits, nullptr, 0));
      }
      checkFilters(unit, *one);
      if (!isDialect)
        continue;
      checkCopies(unit, *one);
      checkLiterals(unit, *one);
      checkEventCalls(unit, *one);
      beginEmpty(unit, *one);
      copyResults(unit, *one);
      if (function && function->doesThisDeclarationHaveABody()) {
        checkVectorCalls(unit, *function);
        leaveAlone(unit, *function);
      }
    }
    return true;
  }

  void HandleTranslationUnit(ASTContext &context) override {
    unit.ast = &context;
    if (!unit.isDeclared("__charcoal_dialect") || compiler.getDiagnostics().hasErrorOccurred())
      return;
    std::vector<Body> bodies;
    for (Decl *one : context.getTranslationUnitDecl()->noload_decls())
      if (!context.getSourceManager().isInSystemHeader(one->getLocation()))
        eachBody(*one, [&](const Body &body) { bodies.push_back(body); });
    checkNeverWaits(unit, bodies);
    for (const Body &body : bodies) {
      if (warnings.isOn(compiler, Warning::Blocking))
        checkBlocking(unit, body);
      if (warnings.isOn(compiler, Warning::LoopVariable) || warnings.isOn(compiler, Warning::Dangling))
        checkCaptures(unit, body);
    }
    if (warnings.isOn(compiler, Warning::LostUpdate))
      checkUpdates(unit, bodies);
  }

private:
  static constexpr llvm::StringLiteral neverWaits = "charcoal.never_waits";

  static void take(FunctionDecl &function, llvm::StringRef annotation,
                   llvm::SmallPtrSetImpl<const FunctionDecl *> &functions) {
    if (!isAnnotated(function, annotation))
      return;
    functions.insert(function.getCanonicalDecl());
    llvm::erase_if(function.getAttrs(), [&](const Attr *attribute) {
      auto *one = dyn_cast<AnnotateAttr>(attribute);
      return one && one->getAnnotation() == annotation;
    });
  }

  CompilerInstance &compiler;
  const Warnings warnings;
  Unit unit;
};

} // namespace

std::unique_ptr<ASTConsumer> checks(CompilerInstance &compiler, const Warnings &warnings) {
  return std::make_unique<Consumer>(compiler, warnings);
}

} // namespace charcoal::syntax
