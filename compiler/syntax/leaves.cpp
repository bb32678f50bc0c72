// Marks the functions of the C library that neither wait nor call anything back.
//
// glibc declares nearly all functions that are no cancellation points and call nothing back with the macros __THROW and
// __NTH, which are `__attribute__((nothrow, leaf))`. Its header <sys/cdefs.h> leaves `leaf` out where the compiler says
// that it is older than GCC 4.6, as clang does. Functions without callbacks that are no leaves, because they
// synchronize memory, have __THROWNL and __NTHNL.
//
// The passes see `leaf` as `nocallback`. In preprocessed text the macros are gone, so nothing is marked there, and all
// these functions count as functions that may wait.
#include "leaves.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace charcoal::syntax {

// A function that does not return runs other people's code all the same (exit), and one that returns twice needs its
// caller's attention in any case (vfork).
static bool maySurprise(const FunctionDecl &function) {
  return function.hasAttr<NoReturnAttr>() || function.hasAttr<ReturnsTwiceAttr>() || function.isNoReturn();
}

void markLeaf(ASTContext &ast, FunctionDecl &function) {
  auto *nothrow = function.getAttr<NoThrowAttr>();
  if (!nothrow || nothrow->isInherited() || !nothrow->getLocation().isMacroID() || function.hasAttr<LeafAttr>() ||
      maySurprise(function) || !ast.getSourceManager().isInSystemHeader(function.getLocation()))
    return;
  const llvm::StringRef macro =
      Lexer::getImmediateMacroName(nothrow->getLocation(), ast.getSourceManager(), ast.getLangOpts());
  if (macro == "__THROW" || macro == "__NTH")
    function.addAttr(LeafAttr::CreateImplicit(ast));
}

} // namespace charcoal::syntax
