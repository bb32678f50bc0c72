// Messages about macros that check the types of their arguments: those of events, channels, futures, broadcasts and
// watched values. clang's message would be about the body of the macro, with types that nobody wrote and all the steps
// of the expansion. The message from here is about the argument, in the program's words:
//
//   n.c:7:15: error: the messages of this channel are of type 'int': a 'double *' does not point to one
//
// It also gives a note where clang does not know a word of the dialect, in a file that does not have the dialect, or an
// object whose header was not included.
#ifndef CHARCOAL_SYNTAX_TYPED_MACROS_H
#define CHARCOAL_SYNTAX_TYPED_MACROS_H

namespace clang {
class CompilerInstance;
}

namespace charcoal::syntax {

// Puts a consumer in front of the present one, which gets all diagnostics; those about the typed macros with another
// text and place, and only the first one of each call.
void explainTypedMacros(clang::CompilerInstance &);

} // namespace charcoal::syntax

#endif
