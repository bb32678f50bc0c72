// What data of a file the activities and branches that it starts share: variables of the file scope and static
// variables; memory that pointers to these point to, also parameters if some call in this file passes such an address;
// and variables that several bodies of `activate` or `async` use by reference. An element of an array counts only if
// its index is a constant, because each activity may have an element of its own.
#ifndef CHARCOAL_SYNTAX_SHARING_H
#define CHARCOAL_SYNTAX_SHARING_H

#include "checks.h"
#include "llvm/ADT/DenseSet.h"

namespace clang {
class Expr;
class ParmVarDecl;
} // namespace clang

namespace charcoal::syntax {

class Sharing {
public:
  Sharing(Unit &, llvm::ArrayRef<Body>);
  bool hasActivities = false, hasBranches = false;
  bool isShared(const clang::Expr *place) const;

private:
  using Parameter = std::pair<const clang::FunctionDecl *, unsigned>;
  // What decides whether something is shared: a parameter, or else the answer itself.
  struct Root {
    bool isShared = false;
    const clang::ParmVarDecl *parameter = nullptr;
  };
  void collect(const clang::Stmt *body, llvm::SmallVectorImpl<const clang::CallExpr *> &calls);
  void findParameters(llvm::ArrayRef<const clang::CallExpr *> calls);
  Root rootOf(const clang::Expr *, bool isAddress) const;
  Root rootOfVariable(const clang::VarDecl &) const;
  static Parameter key(const clang::ParmVarDecl &);

  Unit &unit;
  llvm::DenseMap<const clang::VarDecl *, unsigned> captures;    // the number of bodies that use it; one in a loop
                                                                // counts twice
  llvm::DenseSet<Parameter> parameters;                         // that are given addresses of shared data
  mutable llvm::DenseMap<const clang::VarDecl *, Root> pointed; // what local pointers are initialized with
};

} // namespace charcoal::syntax

#endif
