// The types of Charcoal's objects as a program writes them: `event(int)` and `channel(int)` are macros, and clang
// speaks of the function types that these make.
#ifndef CHARCOAL_SYNTAX_WRITTEN_TYPES_H
#define CHARCOAL_SYNTAX_WRITTEN_TYPES_H

#include "clang/AST/Type.h"
#include <string>

namespace charcoal::syntax {

// "event(int)"; "" for what is no event.
std::string asEvent(clang::QualType);
// "channel(int)"; "" for what is no such object. As a parameter it is a pointer.
std::string asObject(clang::QualType);
// "channel" for a pointer to the insides of a channel, which no program has; "" for other types.
std::string asInsides(clang::QualType);
// Any type, without the `typeof`s of the macros.
std::string written(clang::QualType);
clang::QualType withoutTypeof(clang::QualType);

} // namespace charcoal::syntax

#endif
