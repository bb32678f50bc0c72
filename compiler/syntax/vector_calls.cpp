// Reports calls in a block of the dialect that pass or return long vectors, in a function that the program compiles for
// another processor (`__attribute__((target("avx2")))`). How such vectors are passed depends on the processor, and
// clang asks for that of a captured block as if it belonged to no function, so it would refuse the call with a message
// about an option that is not missing.
#include "checks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetInfo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Triple.h"

using namespace clang;

namespace charcoal::syntax {

namespace {

class VectorCalls {
public:
  VectorCalls(Unit &unit, const FunctionDecl &function) : unit(unit), ast(*unit.ast) {
    ast.getFunctionFeatureMap(features, &function);
  }

  // Stops at the first such call.
  bool inBlocks(const Stmt *s) {
    return anyPart(s, [&](const Stmt *part) { return isa<CapturedStmt>(part) ? inBlock(part) : inBlocks(part); });
  }

private:
  bool inBlock(const Stmt *s) {
    return anyPart(s, [&](const Stmt *part) {
      auto *call = dyn_cast<CallExpr>(part);
      return (call && call->getDirectCallee() && report(*call)) || inBlock(part);
    });
  }

  // Whether only the function's own attribute lets a register of the processor hold such a value.
  bool needsAttribute(QualType type) const {
    const uint64_t bits = type->isVectorType() ? ast.getTypeSize(type) : 0;
    const llvm::StringRef feature = bits > 256 ? "avx512f" : bits > 128 ? "avx" : "";
    return !feature.empty() && features.lookup(feature) && !ast.getTargetInfo().hasFeature(feature);
  }

  bool report(const CallExpr &call) {
    if (call.getDirectCallee()->getBuiltinID())
      return false;
    QualType type = call.getType();
    for (const Expr *argument : call.arguments())
      if (needsAttribute(argument->getType()))
        type = argument->getType();
    if (!needsAttribute(type))
      return false;
    error(unit.compiler, ast.getSourceManager().getExpansionLoc(call.getBeginLoc()),
          "this call passes or returns a '" + type.getAsString() +
              "', which a block of the dialect cannot do where only an attribute of the function allows such vectors; "
              "let the block call a function with that attribute that does the work and takes pointers, or compile the "
              "file for that processor (-mavx2)");
    return true;
  }

  Unit &unit;
  ASTContext &ast;
  llvm::StringMap<bool> features; // of the processor for which the function is compiled
};

} // namespace

void checkVectorCalls(Unit &unit, const FunctionDecl &function) {
  if (unit.ast->getTargetInfo().getTriple().isX86() && function.hasAttr<TargetAttr>())
    eachBody(function, [&](const Body &body) { VectorCalls(unit, function).inBlocks(body.statements); });
}

} // namespace charcoal::syntax
