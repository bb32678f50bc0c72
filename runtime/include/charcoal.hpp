/* Charcoal for C++17: the statements of C's dialect take lambdas, and channels take any type that can be moved.
 *
 *   charcoal::activate([client] { serve(client); });             an activity of its own
 *   charcoal::activity reader([&] { read_all(); });              the same, with a handle
 *   charcoal::finish([&](charcoal::scope &s) {                   waits for all that s.activate has started
 *     for (auto &name : names)
 *       s.activate([&] { look_up(name); });
 *   });
 *   charcoal::within(2s, [&](charcoal::scope &s) { ... });       the same, with a deadline
 *   charcoal::atomic([&] { total += one(); });                   no other activity runs meanwhile
 *   charcoal::noncancellable([&] { close_all(); });
 *   charcoal::channel<std::string> lines(100);                   ... lines.send("text"); auto line = lines.receive();
 *   charcoal::waituntil(lines.receiving().then([&](auto line) { ... }) or charcoal::sleeping(2s));
 *
 * Compiled by charcoal-c++ bodies are interruptible. Without it the header has the library's functions with
 * -DCHARCOAL_LIBRARY; otherwise it has sequential meanings, in which each body runs where it stands, and neither
 * channels nor `waituntil`.
 *
 * What charcoal.h says about all functions holds here, too. A body is moved to the heap by what starts an activity, and
 * is destroyed when the activity ends; what it captures by reference has to live as long.
 *
 * Exceptions: One that leaves the body of a statement goes on where the statement ends. One that leaves the body of
 * `finish` or `within`, or of an activity that was started in such a scope, cancels the scope; it goes on when the
 * whole scope has ended, and if there are several, the first one does. One that leaves any other activity ends the
 * program (std::terminate), as it does in a thread. Without memory `new` throws std::bad_alloc, or ends the program
 * where it is compiled with -fno-exceptions. */
#ifndef CHARCOAL_HPP
#define CHARCOAL_HPP

#if __cplusplus < 201703L
#error "<charcoal.hpp> needs C++17: compile with -std=c++17 or later"
#endif

#include <charcoal.h>
#include <charcoal/bodies.h>
#if defined(__CHARCOAL__) || defined(CHARCOAL_LIBRARY)
#include <charcoal/channel.h>
#include <charcoal/waituntil.hpp>
#endif
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace charcoal {

/* Private. */
namespace detail {

/* Whether the file that includes this is compiled with exceptions. A template argument, because the linker takes one of
 * all functions of a name. */
#ifdef __cpp_exceptions
#define CHARCOAL_EXCEPTIONS_ true
#else
#define CHARCOAL_EXCEPTIONS_ false
#endif

/* The first exception that has left a body of a statement. */
struct failure {
  std::exception_ptr first;

  /* Calls body(), and otherwise() if an exception leaves it. */
  template <bool exceptions, class Body, class Otherwise> void run(Body &&body, Otherwise &&otherwise) {
    if constexpr (exceptions) {
#ifdef __cpp_exceptions
      try {
        body();
      } catch (...) {
        if (!first)
          first = std::current_exception();
        otherwise();
      }
#endif
    } else {
      body();
    }
  }
  /* The statement has ended: the exception goes on. */
  template <bool exceptions> void go_on() {
    if constexpr (exceptions)
      if (first)
        std::rethrow_exception(std::move(first));
  }
};

/* Calls body() through `statement`, a function that takes a function and its argument, and returns what body() has
 * returned. otherwise() is called where an exception leaves the body. */
template <bool exceptions, class Statement, class Body, class Otherwise>
auto call_inside(failure &failed, Statement statement, Body &body, Otherwise otherwise) {
  using Result = std::decay_t<std::invoke_result_t<Body &>>;
  if constexpr (std::is_void_v<Result>) {
    auto call = [&]() noexcept { failed.run<exceptions>(body, otherwise); };
    statement([](void *it) { (*static_cast<decltype(call) *>(it))(); }, &call);
    failed.go_on<exceptions>();
  } else {
    std::optional<Result> result;
    auto call = [&]() noexcept { failed.run<exceptions>([&] { result.emplace(body()); }, otherwise); };
    statement([](void *it) { (*static_cast<decltype(call) *>(it))(); }, &call);
    failed.go_on<exceptions>();
    return Result(std::move(*result));
  }
}
template <bool exceptions, class Statement, class Body> auto call_inside(Statement statement, Body &body) {
  failure failed;
  return call_inside<exceptions>(failed, statement, body, [] {});
}

template <class Body> void activate(ch_activity *handle, Body &&body) {
  using Own = std::decay_t<Body>;
  auto call = [](void *it) noexcept {
    std::unique_ptr<Own> own(static_cast<Own *>(it));
    (*own)();
  };
  auto own = std::make_unique<Own>(std::forward<Body>(body));
  ch_activate_body(handle, call, own.get());
  own.release();
}

} // namespace detail

/* Starts an activity that runs body(). Never blocks. */
template <class Body> void activate(Body &&body) { detail::activate(nullptr, std::forward<Body>(body)); }

/* An activity with a handle. It belongs to the domain that made it, and cannot be copied or moved. */
class activity {
public:
  /* Starts it. Never blocks. */
  template <class Body> explicit activity(Body &&body) { detail::activate(&handle_, std::forward<Body>(body)); }
  activity(const activity &) = delete;
  activity &operator=(const activity &) = delete;
  /* Cancels it and waits until it has ended, as the destructor of std::jthread does.
   * Cancel: does not end the wait. */
  ~activity() {
    ch_activity_cancel(&handle_);
    auto wait = [](void *handle) { ch_activity_wait(static_cast<ch_activity *>(handle)); };
    ch_noncancellable_body(wait, &handle_);
  }

  /* As ch_activity_wait, ch_activity_cancel and ch_activity_finished. */
  int wait() { return ch_activity_wait(&handle_); }
  int cancel() { return ch_activity_cancel(&handle_); }
  bool finished() const { return ch_activity_finished(&handle_) != 0; }
#if defined(__CHARCOAL__) || defined(CHARCOAL_LIBRARY)
  /* A clause (charcoal/waituntil.hpp) of wait(). */
  auto ending() { return call<ch_activity_wait__clause>(&handle_); }
#endif
  /* For the functions of charcoal.h. */
  ch_activity *handle() { return &handle_; }

private:
  ch_activity handle_{};
};

/* A scope that is open: what `finish` and `within` give to their bodies. It is valid until they return. */
class scope {
public:
  /* Starts an activity that belongs to the scope: it is cancelled with the scope, which does not end before it. Never
   * blocks. */
  template <class Body, bool exceptions = CHARCOAL_EXCEPTIONS_> void activate(Body &&body) {
    if constexpr (exceptions) {
      auto call = [failed = failed_, scope = scope_, own = std::decay_t<Body>(std::forward<Body>(body))]() mutable {
        if (failed)
          failed->run<exceptions>(own, [&] { ch_scope_cancel(scope); });
        else
          own();
      };
      detail::activate(ch_in(scope_), std::move(call));
    } else {
      detail::activate(ch_in(scope_), std::forward<Body>(body));
    }
  }
  /* As ch_scope_cancel. */
  void cancel() { ch_scope_cancel(scope_); }
  /* Gives the scope the deadline that is `duration` from now. Never blocks.
   * Result: as ch_deadline_move. */
  int deadline(std::chrono::nanoseconds duration) { return ch_deadline_move(scope_, ch_now() + duration.count()); }
  /* For the functions of charcoal.h. */
  ch_scope *get() { return scope_; }

  /* The scope that has just been opened. It may be given where exceptions of its activities are kept, which has to live
   * until the scope has ended. */
  explicit scope(detail::failure *failed = nullptr) : failed_(failed) {}

private:
  ch_scope *scope_ = ch_scope_here();
  detail::failure *failed_;
};

/* Private. */
namespace detail {
template <bool exceptions, class Statement, class Body> auto call_in_scope(Statement statement, Body &body) {
  failure failed;
  auto call = [&] {
    if constexpr (std::is_invocable_v<Body &, scope &>) {
      scope here(exceptions ? &failed : nullptr);
      return body(here);
    } else {
      return body();
    }
  };
  return call_inside<exceptions>(failed, statement, call, [] { ch_scope_cancel(ch_scope_here()); });
}
} // namespace detail

/* Runs body(scope &), or body(), and waits until all that was started in the scope has ended.
 * Result: what the body has returned.
 * Cancel: does not end the wait, but cancels what is waited for. */
template <class Body, bool exceptions = CHARCOAL_EXCEPTIONS_> auto finish(Body &&body) {
  return detail::call_in_scope<exceptions>(ch_finish_body, body);
}

/* The same; the scope is cancelled when its time is over. */
template <class Body, bool exceptions = CHARCOAL_EXCEPTIONS_>
auto within(std::chrono::nanoseconds duration, Body &&body) {
  auto statement = [duration](void (*call)(void *), void *it) { ch_within_body(duration.count(), call, it); };
  return detail::call_in_scope<exceptions>(statement, body);
}

/* Runs body() while no other activity of the domain runs.
 * Result: what the body has returned. */
template <class Body, bool exceptions = CHARCOAL_EXCEPTIONS_> auto atomic(Body &&body) {
  return detail::call_inside<exceptions>(ch_atomic_body, body);
}

/* Runs body(), in which a cancel from around it has no effect.
 * Result: what the body has returned. */
template <class Body, bool exceptions = CHARCOAL_EXCEPTIONS_> auto noncancellable(Body &&body) {
  return detail::call_inside<exceptions>(ch_noncancellable_body, body);
}

#if defined(__CHARCOAL__) || defined(CHARCOAL_LIBRARY)

/* A channel of one domain, or one that all domains may use. */
enum class sharing { local, shared };

/* A channel (charcoal/channel.h) of messages that can be moved. It cannot be copied or moved itself, and must not be
 * destroyed while somebody waits for it.
 *
 * What holds for all members unless they say otherwise:
 * Result: 0 or an error number, as the functions of charcoal/channel.h that have these names. */
template <class T> class channel {
public:
  /* Room for so many messages; with 0 the sender and the receiver meet; CH_UNBOUNDED. Without memory the program is
   * aborted. */
  explicit channel(std::size_t room = 0, sharing kind = sharing::local) {
    if (ch_channel_make(&channel_, room, sizeof(message), kind == sharing::shared))
      std::abort();
  }
  channel(const channel &) = delete;
  channel &operator=(const channel &) = delete;
  ~channel() {
    noncancellable([this] {
      while (try_receive())
        ;
    });
    if (ch_channel_destroy_(&channel_))
      std::abort();
  }

  /* Sends the value, and waits for room or for a receiver. If it was not sent, it is destroyed. */
  int send(T value) { return send_by(ch_channel_send, std::move(value)); }
  /* Sends the value if that is possible now. Never blocks. */
  int try_send(T value) { return send_by(ch_channel_try_send, std::move(value)); }
  /* Waits for a message.
   * Result: the message; std::nullopt: the channel is closed and empty, or the caller is cancelled (ch_cancelled). */
  std::optional<T> receive() { return receive_by(ch_channel_recv); }
  /* Never blocks.
   * Result: as receive; also std::nullopt if there is no message now. */
  std::optional<T> try_receive() { return receive_by(ch_channel_try_recv); }

  /* Clauses (charcoal/waituntil.hpp). The body of `receiving` gets what receive() returns. The body of `sending` gets
   * what send() returns; the value is moved from while its clause waits, and is back before a body runs if it was not
   * sent (with `and`: at the end of the statement, unless it is its own body that runs). */
  auto receiving() { return clause<receive_call>(receive_call(&channel_)); }
  auto sending(T &value) { return clause<send_call>(send_call(&channel_, value)); }

  /* Closes the channel: nothing more is sent, and all who wait are woken. Never blocks. */
  int close() { return ch_channel_close(&channel_); }
  bool is_closed() { return ch_channel_is_closed(&channel_) != 0; }
  /* How many messages it keeps. Never blocks. */
  std::size_t size() { return ch_channel_length(&channel_); }

private:
  /* What can be copied as bytes is; anything else is on the heap, and the message is its address. */
  static constexpr bool is_bytes = std::is_trivially_copyable_v<T>;
  using message = std::conditional_t<is_bytes, T, T *>;

  template <class Send> int send_by(Send send, T &&value) {
    if constexpr (is_bytes) {
      return send(&channel_, std::addressof(value), sizeof value);
    } else {
      auto own = std::make_unique<T>(std::move(value));
      T *address = own.get();
      int error = send(&channel_, &address, sizeof address);
      if (!error)
        own.release();
      return error;
    }
  }
  template <class Receive> std::optional<T> receive_by(Receive receive) {
    alignas(message) unsigned char to[sizeof(message)];
    return receive(&channel_, to, sizeof to) ? std::nullopt : taken(to);
  }
  /* What has been received there, which is taken out of the message. */
  static std::optional<T> taken(unsigned char *from) {
    message &it = *reinterpret_cast<message *>(from);
    if constexpr (is_bytes) {
      return it;
    } else {
      std::unique_ptr<T> own(it);
      return std::optional<T>(std::move(*own));
    }
  }

  /* A call that is made although its body does not run, because another body of an `and` has thrown, has its effect. */
  static bool is_made(const struct ch_clause &clause) { return clause.state == CH_IS_HAD && clause.value == 0; }

  class receive_call {
  public:
    static constexpr bool holds = false;
    explicit receive_call(struct ch_channel *from) : from_(from) {}
    receive_call(receive_call &&) = default;
    ~receive_call() {
      if (is_made(clause_.pass.clause))
        taken(to_);
    }
    struct ch_clause *begin(detail::parcel **) {
      ch_channel_recv__clause(&clause_, from_, to_, sizeof to_);
      return &clause_.pass.clause;
    }
    std::optional<T> result() { return ch_clause_result(&clause_.pass.clause) ? std::nullopt : taken(to_); }
    void has_won() {}
    void has_lost() {}

  private:
    struct ch_channel *from_;
    struct ch_channel_recv__clause clause_{};
    alignas(message) unsigned char to_[sizeof(message)];
  };

  class send_call : private detail::parcel {
  public:
    static constexpr bool holds = false;
    send_call(struct ch_channel *to, T &value) : detail::parcel{&kind, std::addressof(value), nullptr}, to_(to) {}
    send_call(send_call &&) = default;
    ~send_call() {
      if (is_made(clause_.pass.clause))
        has_won();
      has_lost();
    }
    struct ch_clause *begin(detail::parcel **all) {
      const void *from = value;
      if constexpr (!is_bytes) {
        owner_ = find(all);
        if (owner_ == this) {
          own_ = std::make_unique<T>(std::move(*mine()));
          if (all)
            next = std::exchange(*all, static_cast<detail::parcel *>(this));
        }
        address_ = owner_->own_.get();
        from = &address_;
      }
      ch_channel_send__clause(&clause_, to_, from, sizeof(message));
      return &clause_.pass.clause;
    }
    int result() {
      int error = static_cast<int>(ch_clause_result(&clause_.pass.clause));
      has_won();
      has_lost();
      return error;
    }
    void has_won() { /* unless the call has said an error, in which case nothing has been sent */
      if (owner_ && clause_.pass.clause.value == 0)
        owner_->own_.release();
    }
    void has_lost() { /* the value goes back */
      if (!own_)
        return;
      mine()->~T();
      new (value) T(std::move(*own_));
      own_.reset();
    }

  private:
    static constexpr char kind = 0;
    T *mine() { return static_cast<T *>(value); }
    /* Who has the same value on the heap: perhaps a clause before this one. */
    send_call *find(detail::parcel **all) {
      for (detail::parcel *p = all ? *all : nullptr; p; p = p->next)
        if (p->kind == &kind && p->value == value)
          return static_cast<send_call *>(p);
      return this;
    }

    struct ch_channel *to_;
    std::unique_ptr<T> own_; /* what is sent, if it is not bytes and no clause before this one sends it, too */
    send_call *owner_ = nullptr;
    T *address_ = nullptr;
    struct ch_channel_send__clause clause_{};
  };

  struct ch_channel channel_;
};

#endif

} // namespace charcoal

#endif
