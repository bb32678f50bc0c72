// How translate() works: a walk over the statements of C that copies what it passes, and a table of the
// dialect's forms that it tries wherever a statement begins.
//
// statements.cpp and declarations.cpp walk plain C; cursor.cpp knows where the walk is; ends.cpp finds where a
// statement ends; forms.cpp holds the table, and forms/ one file per form; mistakes.cpp recognizes what was meant for a
// form and is none; jumps.cpp decides what `break`, `goto`, `case` … may do. The walk understands statements exactly
// and skims over the rest (declarations, expressions), where only brackets matter.
#ifndef CHARCOAL_SYNTAX_TRANSLATOR_H
#define CHARCOAL_SYNTAX_TRANSLATOR_H

#include "dialect.h"
#include <functional>
#include <optional>
#include <set>

namespace charcoal::syntax {

// A piece of source around the current token. A stack of these says where a jump would lead.
struct Region {
  enum What {
    Function,
    Loop,
    Switch,
    Atomic,
    Body,    // of `activate`
    Finish,  // what stands between `do` and `finish`
    Async,   // the statement after `async`
    Barrier, // the statement after `noncancellable`
    Clause,  // a body of `waituntil`
    NoYield, // the block after `assert_no_yield`
    Twait,   // the block after `twait`
    Tamed,   // the body of a function that is `tamed`
  };
  What what;
  size_t keyword;              // the token that opened it
  unsigned number;             // regions are numbered in the order in which they open
  unsigned uid = 0;            // of Body: its spawn statement; of Tamed: its call; of Finish and Async: its scope
  bool hasReturn = false;      // of Body and Tamed: something jumps to its end
  bool startsBranches = false; // of Async: so it has a scope
  std::vector<std::string_view> labels = {}; // of Finish: the labels that `cancel` may name
  std::string_view policy = {};              // of Atomic: what happens to activities that are spawned in it, if the
                                             // block says so
};

// A label and the regions around it, outermost first.
struct Label {
  std::string_view name;
  std::vector<Region> regions;
  size_t index;           // of its token
  size_t piece, pieceEnd; // the label that replaces it in the output
};

struct Wait;

class Translator {
public:
  Translator(std::vector<Lexeme> tokens, const Names &names, unsigned firstUid)
      : nextUid(firstUid), tokens(std::move(tokens)), names(names) {
    findPartners();
  }
  void declaration();

  Translation result;
  std::vector<Label> labels;                 // found so far
  const std::vector<Label> *known = nullptr; // all labels, once a first walk has found them
  unsigned nextUid;

private:
  static constexpr size_t none = -1;

  // ---- the cursor (cursor.cpp) ----
  std::string_view at(size_t index) const { return index < tokens.size() ? tokens[index].text : std::string_view(); }
  std::string_view here() const { return at(position); }
  std::string_view next() const { return at(position + 1); }
  bool done() const { return position >= tokens.size(); }
  bool isName(size_t index) const { return index < tokens.size() && tokens[index].kind == Kind::Name; }
  bool isLiteral(size_t index) const { return index < tokens.size() && tokens[index].kind == Kind::Literal; }
  bool isPragma(size_t index) const {
    return index < tokens.size() && (tokens[index].kind == Kind::Other || tokens[index].kind == Kind::Opening);
  }
  bool isKeyword(size_t index) const { return index < tokens.size() && tokens[index].kind == Kind::Keyword; }
  void findPartners();
  size_t closing(size_t open) const; // index of the matching bracket; where that is missing, of what ends the group
  bool isClosed(size_t open) const;
  void take();           // copies the current token
  void take(size_t end); // copies up to the token `end`, without looking for forms
  void drop() { ++position; }
  void drop(size_t end) { position = end; }
  void text(size_t anchor, std::string);
  void piece(Piece::What, size_t anchor);
  void problem(size_t index, std::string message, size_t noteIndex = 0, std::string note = "");

  // ---- plain C (statements.cpp) ----
  // Deeper nesting than this is beyond what clang parses (-fbracket-depth is 256 there), so it may stay as it is.
  static constexpr unsigned deepest = 2000;
  void compound(size_t noncancellable = none); // the word before the function whose body this is
  void beginBlock();                           // after its '{'
  void openingPragmas();
  void statements(size_t end); // of a block, up to its '}'
  void statement(bool inList);
  void simpleStatement();        // an expression, declaration or the like, through its ';'
  void skim(size_t end);         // copies expressions and declarations up to `end`, translating what stands in them
  void group();                  // copies a bracketed group, likewise
  void controlled(Region::What); // the statement that a loop or switch controls
  void label();
  size_t blockBody(size_t caret) const; // the '{' of the function in an expression that begins at this '^', or none

  // ---- where statements end (ends.cpp) ----
  size_t statementEnd(size_t index, unsigned level = 0) const; // after the statement that begins there
  size_t simpleEnd(size_t index) const;
  size_t caseEnd(size_t index) const;       // after the ':' of the `case` or `default` that begins there
  size_t attributesEnd(size_t index) const; // after the attributes that begin there, or that index

  // ---- declarations (declarations.cpp) ----
  bool declaredInside(std::string_view word) const;
  bool isPlain(std::string_view word) const; // the program uses the word as a name of its own
  bool startsDeclaration(size_t index) const;
  bool declaresFunction(size_t index) const;
  bool closesMembers(size_t close) const; // whether this '}' ends the members of a struct, union or enum

  // ---- the dialect (forms.cpp, forms/) ----
  bool form(bool inList); // translates the form that begins here, if one does
  struct Form {
    const char *word;
    bool (Translator::*matches)(bool sure) const; // `sure` says that the program declares no such name
    void (Translator::*lower)(bool inList);
  };
  static const Form forms[];
  bool matchesAtomic(bool) const;
  bool matchesActivate(bool) const;
  bool isSpawnPolicy(size_t) const;
  bool matchesNoYield(bool) const;
  bool matchesYield(bool) const;
  bool matchesStatement(bool) const;
  bool matchesAsync(bool) const;
  bool matchesCancel(bool) const;
  bool matchesNoncancellable(bool) const;
  bool matchesDeadline(bool) const;
  bool matchesLoneFinish(bool) const;
  bool matchesWaituntil(bool) const;
  void lowerAtomic(bool inList);
  void lowerActivate(bool inList);
  void lowerNoYield(bool inList);
  void lowerYield(bool inList);
  void lowerAsync(bool inList);
  void lowerCancel(bool inList);
  void lowerNoncancellable(bool inList);
  void lowerFinish(bool inList);
  void lowerLoneFinish(bool inList);
  void lowerWaituntil(bool inList);
  bool matchesTwait(bool) const;
  void lowerTwait(bool inList);
  void tamedSpecifier();
  void tamedBody(size_t keyword);
  std::vector<size_t> parameters(size_t open) const;
  bool isSlot() const;
  void slot();
  size_t slotVariable(size_t open) const;
  size_t blockOf(size_t variable) const;
  size_t opening(size_t close) const;
  bool isDeclarator(size_t index, bool asLocal) const;
  bool isCopiedInto(size_t block, std::string_view name) const;
  size_t rendezvousType() const; // after the type, if a declaration of variables that hold one begins here
  void rendezvousDeclaration(size_t typeEnd);
  size_t declarator();
  bool startsClause(size_t index) const;
  bool startsWait(size_t index) const; // a `waituntil` statement begins there
  class WaitParser;                    // waituntil.cpp
  Wait parseWait(size_t keyword, unsigned level) const;
  void waitGuards(const Wait &, const std::string &id);
  void waitArguments(const Wait &, const std::string &id, bool areJoined);
  void waitTries(const Wait &, const std::string &id);
  static std::string waitJumps(const Wait &, const std::string &id, const std::string &result);
  static std::string waitState(const Wait &, const std::string &id);
  void waitLoop(const Wait &, const std::string &id);
  void waitBodies(const Wait &, const std::string &id);
  void waitElse(size_t keyword, size_t anchor);
  bool startsBranches(size_t begin, size_t end) const;
  bool isFinish(size_t index) const; // a `do` that ends with `finish`, or should
  void nameFinish(Region &);
  void endFinish(size_t keyword, bool deadline);
  static std::vector<Piece> scopePieces(const std::string &name, bool barrier, size_t keyword);
  void enterScope(const std::string &name, bool barrier, size_t keyword);
  const Region *scopeAround(const char *word);
  struct AtomicPolicy;
  static const AtomicPolicy atomicPolicies[4];
  const AtomicPolicy *atomicPolicy();
  void checkPolicy(size_t spawn);
  bool isAtomicExpression();
  bool isValueOfBlock() const;
  void atomicExpression(size_t end); // up to the token `end`
  bool isBehindOperator() const;
  bool isBareAtomicExpression();
  void refuseList(size_t open); // before a statement that takes no list of copies
  bool isSpecifier(std::string_view word) const;
  void atomicSpecifier();
  void noncancellableSpecifier();
  bool isList(size_t open) const; // of names in parentheses
  bool isListBeforeStatement(size_t open) const;
  std::vector<size_t> namesToCopy(size_t keyword);
  void copyVariables(const std::vector<size_t> &, size_t keyword);
  struct Spawn; // the parts of an `activate` statement
  void spawnMarker(const Spawn &);
  void spawnBlock(const Spawn &);
  struct SpawnedCall;
  SpawnedCall spawnedCall() const;
  void refuseSpawn(const Spawn &, const SpawnedCall &);
  bool isDirect(const SpawnedCall &) const;
  bool usedOtherwise(std::string_view name) const;
  struct Copies;
  std::string copyValue(const Spawn &, size_t from, size_t to, Copies &);
  size_t argumentEnd(size_t from, size_t close) const;
  std::vector<std::string> forkedTo(const Spawn &, Copies &);
  void forkedBody(const Spawn &, const std::vector<std::string> &to, bool offload,
                  const std::function<void()> &makeCall);
  void spawnCall(const Spawn &);
  void body(const Spawn &);

  // ---- what is no form (mistakes.cpp) ----
  enum class Mistake {
    None,
    Statement, // reported, and translated whole
    Prefix,    // reported and left out; the statement that it stood before is next
  };
  Mistake mistake(bool inList);
  // Words that are spelled right (shapes.cpp).
  struct Shape;
  Mistake wrongShape();
  Mistake refuseCall(const Shape &, const std::string &right);
  Mistake wrongYield(const Shape &);
  Mistake wrongCancel(const Shape &);
  Mistake wrongFinish(const Shape &);
  Mistake wrongDeadline(const Shape &);
  static std::string deadlineForm(std::string_view word);
  Mistake wrongNoYield(const Shape &);
  Mistake wrongContained(const Shape &);
  Mistake wrongTwait(const Shape &);
  Mistake wrongPrefix(const Shape &);
  Mistake wrongHandle();
  bool wouldBe(std::string_view right) const;
  bool isMisspeltFinish(size_t index) const;
  Mistake wrongWait();
  Mistake wrongGuard();
  Mistake wrongBrackets();
  bool refuseStatementInExpression();
  bool refuseOutsideFunctions();
  bool isUnended(size_t index) const; // a statement begins there, and the one before it lacks its ';'
  void expectSemicolonBefore(std::string_view word);
  size_t openBrace() const; // the '{' of the innermost block around the cursor
  void correct(std::string_view right);
  void expectSemicolon(std::string_view behind);
  bool isKnown(std::string_view word) const;
  void enterScopeAnyway(size_t keyword);

  // ---- jumps (jumps.cpp) ----
  void open(Region::What, size_t keyword, unsigned uid = 0);
  Region close();
  void breakOrContinue();
  void caseOrDefault();
  void gotoStatement();
  void returnStatement();
  void nothing();
  Region *enclosingBody();

  std::vector<Lexeme> tokens;   // misspelt words are corrected there
  std::vector<size_t> partners; // of every bracket, if all of them match; otherwise empty
  const Names &names;
  std::vector<Region> regions;
  mutable std::vector<std::pair<std::string_view, bool>> plainWords; // the answers that isPlain has given
  mutable std::optional<std::set<std::string_view>> otherNames;      // for usedOtherwise
  std::set<std::string_view> cancelledNames;                         // those after a `cancel`
  size_t firstLabel = 0;                                             // of the statement at hand, in `labels`
  size_t position = 0;
  size_t afterIf = none;      // where the statement begins that the last `if` controls
  size_t endedEarly = none;   // the `do` of a scope whose `finish` stands in a block that is still open
  size_t behindBroken = none; // after a clause whose brackets or guard were reported
  std::vector<std::pair<size_t, size_t>> blocks; // those begun, by their '{', and where in the output they begin
  unsigned nextSpan = 0;
  unsigned nextRegion = 0;
  unsigned nextScope = 0;
  unsigned depth = 0; // of nested statements and groups
  friend Translation translate(const std::vector<Lexeme> &, const Names &, unsigned &);
};

} // namespace charcoal::syntax

#endif
