// The parts of a `waituntil` statement. waituntil.cpp finds them, forms/waituntil.cpp translates them.
#ifndef CHARCOAL_SYNTAX_WAITUNTIL_H
#define CHARCOAL_SYNTAX_WAITUNTIL_H

#include "translator.h"

namespace charcoal::syntax {

// All members that name a token are indices; `none` where there is no such token.
struct Wait {
  static constexpr size_t none = -1;
  enum Operator { First, Or, And };
  struct Clause {
    Operator op = First;        // before it, or before the brackets that open before it
    unsigned opens = 0;         // brackets that open before it
    unsigned closes = 0;        // brackets that close after it
    size_t guard = none;        // the '(' after `when`
    size_t keyword = 0;         // `waituntil`
    size_t open = 0, close = 0; // its brackets
    size_t place = 0;           // the first token of what takes the result; meaningful if `assigns` is not 0
    size_t assigns = 0;         // the '=', or 0
    size_t function = none;     // the name of the function; `none` if there is a mistake
    size_t body = 0, end = 0;   // its first token, and the one after it
  };
  struct Misplaced {
    size_t keyword; // an `else` that is not the last
    size_t behind;  // the number of clauses before it
  };
  std::vector<Clause> clauses; // never empty
  std::vector<Misplaced> misplaced;
  std::vector<Problem> problems;
  size_t keyword = 0;      // the first token
  size_t otherwise = none; // `else`
  size_t end = 0;          // after the statement
  bool fair = false, hasAnd = false, hasOr = false;
};

} // namespace charcoal::syntax

#endif
