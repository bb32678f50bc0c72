// The functions of the C library that neither wait nor call anything back. See leaves.cpp.
#ifndef CHARCOAL_SYNTAX_LEAVES_H
#define CHARCOAL_SYNTAX_LEAVES_H

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace charcoal::syntax {

// Adds `leaf` to the declaration if glibc means it. It must be called before code generation sees the declaration.
void markLeaf(clang::ASTContext &, clang::FunctionDecl &);

} // namespace charcoal::syntax

#endif
