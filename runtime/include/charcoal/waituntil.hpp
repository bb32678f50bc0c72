/* `waituntil` for C++17: a function that takes clauses. charcoal.hpp includes this file.
 *
 *   charcoal::waituntil(lines.receiving().then([&](std::optional<std::string> line) { ... })
 *                       or answers.sending(answer).when(has_answer).then([&](int error) { ... })
 *                       or charcoal::call<read__clause>(fd, buffer, sizeof buffer).then([&](long n) { ... })
 *                       or charcoal::sleeping(2s).then([&] { ... }));
 *
 * A clause is a call that is not made yet. `then` gives it a body, which gets the call's result, or nothing; without
 * one it has an empty body. `when(false)` removes the clause, with the operator that joins it to the others. Clauses
 * are joined by `or` and `and`, also written || and &&, and by parentheses: the operators of C++, with clauses as
 * operands. All else is as the guide says of C's statement, whose functions (charcoal/clause.h) are called here.
 *
 * Unlike in C, the arguments of a clause are evaluated with the expression, whatever its guard says. */
#ifndef CHARCOAL_WAITUNTIL_HPP
#define CHARCOAL_WAITUNTIL_HPP

#include <charcoal/clause.h>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace charcoal {

/* Private. */
namespace detail {

struct condition {};
template <class T> inline constexpr bool is_condition = std::is_base_of_v<condition, T>;

/* A value that is to be sent and has been moved to the heap. If several clauses of a statement with `or` alone send the
 * same one, they share the parcel, because only one of them is selected. */
struct parcel {
  const void *kind; /* its type */
  void *value;
  parcel *next; /* that has been made before it for the same statement */
};

struct empty_body {
  void operator()() const {}
};

/* The call of a function that has a clause form, which does not move any more once it has begun. */
template <auto form, class Type = decltype(form)> class c_call;
template <auto form, class Structure, class... Parameters> class c_call<form, void (*)(Structure *, Parameters...)> {
public:
  static constexpr bool holds = ch_clause_holds<form>;

  explicit c_call(Parameters... arguments) : arguments_(arguments...) {}
  struct ch_clause *begin(parcel **) {
    std::apply([this](Parameters &...each) { form(&structure_, each...); }, arguments_);
    return clause();
  }
  std::intptr_t result() { return ch_clause_result(clause()); }
  void has_won() {}
  void has_lost() {}

private:
  struct ch_clause *clause() { return reinterpret_cast<struct ch_clause *>(&structure_); }

  Structure structure_{};
  std::tuple<Parameters...> arguments_;
};

/* Gives back what a call holds for the length of its clause's body. */
class while_body_runs {
public:
  explicit while_body_runs(struct ch_clause *clause) : clause_(clause) {}
  while_body_runs(const while_body_runs &) = delete;
  while_body_runs &operator=(const while_body_runs &) = delete;
  ~while_body_runs() { ch_clause_leave(&clause_); }

private:
  struct ch_clause *clause_;
};

/* A wait, of which nothing is left where it ends, however that is: by an exception, too. */
class wait {
public:
  explicit wait(unsigned flags) { ch_wait_enter(&wait_, flags, nullptr); }
  wait(const wait &) = delete;
  wait &operator=(const wait &) = delete;
  ~wait() { ch_wait_leave(&wait_); }
  struct ch_wait *get() { return &wait_; }

private:
  struct ch_wait wait_;
};

} // namespace detail

/* A clause: a call and the body that runs when the call has been made. It is used in the expression that makes it. */
template <class Call, class Body = detail::empty_body> class clause : public detail::condition {
public:
  explicit clause(Call call, Body body = {}, bool is_enabled = true)
      : call_(std::move(call)), body_(std::move(body)), is_enabled_(is_enabled) {}

  /* The same clause with this body, which is called as body(result) or as body(). */
  template <class Then> auto then(Then &&body) && {
    return clause<Call, std::decay_t<Then>>(std::move(call_), std::forward<Then>(body), is_enabled_);
  }
  /* The same clause, which is left out if the guard is false. */
  clause when(bool guard) && {
    is_enabled_ = is_enabled_ && guard;
    return std::move(*this);
  }

  /* Private. A part of a condition says how many clauses it has, and of which text it is (charcoal/clause.h); `first`
   * and `number` count clauses from the left. */
  static constexpr char op = '.';
  static constexpr unsigned clauses = 1, brackets = 0, alternatives = 0;
  static constexpr bool holds = Call::holds;
  static constexpr char *write(char *to) {
    *to = '.';
    return to + 1;
  }
  void add_to(struct ch_wait *w, unsigned first, detail::parcel **parcels) {
    if (is_enabled_)
      ch_wait_add(w, begin(parcels), first);
  }
  /* The number of the first clause that is ready and has been made, or -ENOENT. */
  int try_each(unsigned first, detail::parcel **parcels) {
    return is_enabled_ && ch_clause_try(begin(parcels)) ? static_cast<int>(first) : -ENOENT;
  }
  void run(unsigned) {
    detail::while_body_runs holds_until(clause_);
    if constexpr (std::is_invocable_v<Body &, decltype(call_.result())>)
      body_(call_.result());
    else
      call_.result(), body_();
  }
  void has_won(unsigned number) {
    if (number == 0)
      call_.has_won();
  }
  void have_lost_but(unsigned number) {
    if (number != 0)
      call_.has_lost();
  }

private:
  struct ch_clause *begin(detail::parcel **parcels) { return clause_ = call_.begin(parcels); }

  Call call_;
  Body body_;
  struct ch_clause *clause_ = nullptr;
  bool is_enabled_;
};

/* Private: two conditions with an operator between them. */
namespace detail {
template <char operator_, class Left, class Right> class joined : public condition {
public:
  joined(Left &&left, Right &&right) : left_(std::move(left)), right_(std::move(right)) {}

  static constexpr char op = operator_;
  static constexpr unsigned clauses = Left::clauses + Right::clauses;
  static constexpr bool holds = Left::holds || Right::holds;
  template <class Part> static constexpr bool is_in_brackets = Part::op != '.' && Part::op != op;
  static constexpr unsigned brackets = Left::brackets + Right::brackets + is_in_brackets<Left> + is_in_brackets<Right>;
  static constexpr unsigned alternatives = Left::alternatives + Right::alternatives + (op == '|');
  static constexpr char *write(char *to) {
    to = write_part<Left>(to);
    *to++ = op;
    return write_part<Right>(to);
  }

  void add_to(struct ch_wait *w, unsigned first, parcel **parcels) {
    left_.add_to(w, first, parcels);
    right_.add_to(w, first + Left::clauses, parcels);
  }
  int try_each(unsigned first, parcel **parcels) {
    int number = left_.try_each(first, parcels);
    return number != -ENOENT ? number : right_.try_each(first + Left::clauses, parcels);
  }
  void run(unsigned number) {
    if (number < Left::clauses)
      left_.run(number);
    else
      right_.run(number - Left::clauses);
  }
  /* A negative result of a wait is the number of no clause, whatever is subtracted. */
  void has_won(unsigned number) {
    left_.has_won(number);
    right_.has_won(number - Left::clauses);
  }
  void have_lost_but(unsigned number) {
    left_.have_lost_but(number);
    right_.have_lost_but(number - Left::clauses);
  }

private:
  template <class Part> static constexpr char *write_part(char *to) {
    if (is_in_brackets<Part>)
      *to++ = '(';
    to = Part::write(to);
    if (is_in_brackets<Part>)
      *to++ = ')';
    return to;
  }

  Left left_;
  Right right_;
};

/* The text of a condition: "(.|.)&." for `(a or b) and c`. */
template <class Condition> struct text_of {
  char text[2 * Condition::clauses + 2 * Condition::brackets] = {};
  constexpr text_of() { Condition::write(text); }
};

template <class Condition> inline constexpr bool has_and = Condition::op == '&' || Condition::brackets > 0;

/* A clause of a statement with `or` alone has been selected, or the negative of an error number says why none has. */
template <class Condition> int run_selected(Condition &all, int result) {
  const auto number = static_cast<unsigned>(result);
  all.has_won(number);
  all.have_lost_but(number);
  if (result >= 0)
    all.run(number);
  return result >= 0 || result == -ENOENT ? 0 : -result;
}

template <class Condition> int wait_for_any(Condition &all, unsigned flags) {
  wait w(flags);
  parcel *parcels = nullptr;
  all.add_to(w.get(), 0, &parcels);
  return run_selected(all, ch_wait_any(w.get()));
}

template <class Condition, class Else> int try_any(Condition &all, unsigned flags, Else &otherwise) {
  wait w(flags);
  parcel *parcels = nullptr;
  int result = ch_wait_may_begin();
  if (result == 0 && (flags & CH_WAIT_FAIR) != 0) {
    all.add_to(w.get(), 0, &parcels);
    result = ch_wait_try(w.get());
  } else if (result == 0) {
    result = all.try_each(0, &parcels);
  }
  int error = run_selected(all, result);
  if (result == -ENOENT)
    otherwise();
  return error;
}

/* `otherwise`: a pointer to the body of `else`, or to nothing. */
template <class Condition, class Else> int wait_for_all(Condition &all, unsigned flags, Else *otherwise) {
  static_assert(!Condition::holds,
                "a lock that is kept after the statement would still be held while the other clauses "
                "of an 'and' are waited for; call the form that holds it for the body only: ch_hold, "
                "ch_read_hold, ch_write_hold, ch_pthread_hold");
  static constexpr text_of<Condition> condition{};
  struct ch_wait_node nodes[Condition::clauses + 2 + Condition::alternatives + 2 * Condition::brackets];
  wait w(flags | CH_WAIT_AND);
  all.add_to(w.get(), 0, nullptr);
  int number = 0;
  if (otherwise)
    number = ch_wait_try_all(w.get(), nodes, Condition::clauses, condition.text);
  else
    ch_wait_begin_all(w.get(), nodes, Condition::clauses, condition.text);
  bool is_true = number == 0;
  if (number == 0) {
    while ((number = ch_wait_next(w.get())) >= 0) {
      all.run(static_cast<unsigned>(number));
      ch_wait_complete(w.get(), nodes, static_cast<unsigned>(number));
    }
    is_true = nodes[0].left == 0;
  }
  if constexpr (!std::is_void_v<Else>)
    if (number == -ENOENT && !is_true)
      (*otherwise)();
  return number == -ENOENT ? 0 : -number;
}

template <class Condition> int wait_for(Condition &all, unsigned flags) {
  if constexpr (has_and<Condition>)
    return wait_for_all(all, flags, static_cast<void *>(nullptr));
  else
    return wait_for_any(all, flags);
}
template <class Condition, class Else> int wait_for(Condition &all, unsigned flags, Else &otherwise) {
  if constexpr (has_and<Condition>)
    return wait_for_all(all, flags, &otherwise);
  else
    return try_any(all, flags, otherwise);
}

} // namespace detail

template <class Left, class Right, class = std::enable_if_t<detail::is_condition<Left> && detail::is_condition<Right>>>
auto operator||(Left left, Right right) {
  return detail::joined<'|', Left, Right>(std::move(left), std::move(right));
}
template <class Left, class Right, class = std::enable_if_t<detail::is_condition<Left> && detail::is_condition<Right>>>
auto operator&&(Left left, Right right) {
  return detail::joined<'&', Left, Right>(std::move(left), std::move(right));
}

/* A clause that makes the call of a function f which has a clause form (guide: what can be waited for): `form` is
 * f__clause. The arguments are copied. The body gets f's result. */
template <auto form, class... Arguments> auto call(Arguments... arguments) {
  return clause<detail::c_call<form>>(detail::c_call<form>(arguments...));
}

/* A clause that waits for so long. */
inline auto sleeping(std::chrono::nanoseconds duration) {
  return call<ch_sleep__clause>(static_cast<std::int64_t>(duration.count()));
}

/* Waits as C's statement `waituntil` does.
 * Result: 0; ECANCELED: its scope is cancelled, and no clause has been selected since; EPERM: the thread has no memory
 * for a domain.
 * An exception that leaves a body, in a file with exceptions, withdraws the other clauses and goes on. */
template <class Condition> int waituntil(Condition condition) { return detail::wait_for(condition, 0); }
/* The same with `else`: does not wait, and calls otherwise() if the condition is not true now. */
template <class Condition, class Else> int waituntil(Condition condition, Else &&otherwise) {
  return detail::wait_for(condition, 0, otherwise);
}
/* The same two as `waituntil fair`: clauses that are ready take turns. */
template <class Condition> int waituntil_fair(Condition condition) { return detail::wait_for(condition, CH_WAIT_FAIR); }
template <class Condition, class Else> int waituntil_fair(Condition condition, Else &&otherwise) {
  return detail::wait_for(condition, CH_WAIT_FAIR, otherwise);
}

} // namespace charcoal

#endif
