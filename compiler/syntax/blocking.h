// -Wcharcoal-blocking: warns where atomic code directly calls a function that is known to block.
//
// Known to block are functions declared `ch_may_block`, and those with external linkage for whose name
// charcoal/blocking.h declares __charcoal_may_block_NAME. Atomic are the functions declared so and what stands in an
// `atomic` statement, the bodies of its `async` included, those of its `activate` not.
//
// Looks only at translation units in which the dialect is on and something is atomic.
#ifndef CHARCOAL_SYNTAX_BLOCKING_H
#define CHARCOAL_SYNTAX_BLOCKING_H

#include "clang/AST/ASTConsumer.h"
#include <memory>

namespace clang {
class CompilerInstance;
}

namespace charcoal::syntax {

enum class Blocking {
  Silent,  // -Wno-charcoal-blocking
  Default, // a warning, or an error with -Werror
  Warning, // -Wno-error=charcoal-blocking
  Error,   // -Werror=charcoal-blocking
};

std::unique_ptr<clang::ASTConsumer> blockingWarnings(clang::CompilerInstance &, Blocking);

} // namespace charcoal::syntax

#endif
