// C++20 coroutines as a careful programmer would write them by hand.
//
// Lazy tasks with symmetric transfer; coroutine frames from a size-class free list; one FIFO run queue,
// threaded through the waiting frames; one OS thread. There is nothing here that a benchmark does not need, so
// the figures are what the language mechanism itself costs.
#ifndef BENCH_CXX20_HPP
#define BENCH_CXX20_HPP

#include <coroutine>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace cxx20 {

// Free lists of 16-byte classes, refilled by blocks of 64 KiB. Never returned to the system.
class frame_pool {
  static constexpr std::size_t classes = 64;
  struct cell {
    cell *next;
  };
  static inline cell *free_[classes] = {};
  static inline char *block_ = nullptr, *end_ = nullptr;

public:
  static void *take(std::size_t size) {
    std::size_t index = (size + 15) / 16;
    if (index >= classes)
      return ::operator new(size);
    if (cell *c = free_[index]) {
      free_[index] = c->next;
      return c;
    }
    std::size_t bytes = index * 16;
    if (static_cast<std::size_t>(end_ - block_) < bytes) {
      block_ = static_cast<char *>(::operator new(65536));
      end_ = block_ + 65536;
    }
    void *result = block_;
    block_ += bytes;
    return result;
  }
  static void give(void *frame, std::size_t size) {
    std::size_t index = (size + 15) / 16;
    if (index >= classes)
      return ::operator delete(frame);
    auto *c = static_cast<cell *>(frame);
    c->next = free_[index];
    free_[index] = c;
  }
};

struct pooled {
  static void *operator new(std::size_t size) { return frame_pool::take(size); }
  static void operator delete(void *frame, std::size_t size) { frame_pool::give(frame, size); }
  [[noreturn]] void unhandled_exception() { std::abort(); }
};

// A suspended chain on a queue. It lives in the waiting frame and is meaningful only while queued.
struct waiter {
  std::coroutine_handle<> handle;
  waiter *next;
};

struct queue {
  waiter *head = nullptr, *tail = nullptr;
  void push(waiter *w) {
    w->next = nullptr;
    (head ? tail->next : head) = w;
    tail = w;
  }
  waiter *pop() {
    waiter *w = head;
    if (w)
      head = w->next;
    return w;
  }
};

inline queue ready;

// Runs until nothing is ready.
inline void run() {
  while (waiter *w = ready.pop())
    w->handle.resume();
}

// A call: starts when awaited, and returns to its caller by symmetric transfer.
template <class T> class task {
public:
  struct promise_type : pooled {
    T value;
    std::coroutine_handle<> caller;
    task get_return_object() { return task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct to_caller {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().caller;
      }
      void await_resume() noexcept {}
    };
    to_caller final_suspend() noexcept { return {}; }
    void return_value(T v) { value = v; }
  };
  explicit task(std::coroutine_handle<promise_type> h) : handle_(h) {}
  task(const task &) = delete;
  ~task() { handle_.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().caller = caller;
    return handle_;
  }
  T await_resume() { return handle_.promise().value; }

private:
  std::coroutine_handle<promise_type> handle_;
};

// An activity: queued when it is created; its frame frees itself when it ends, after waking whoever joined.
struct activity {
  struct promise_type : pooled {
    waiter start;
    waiter *joiner = nullptr; // set by join, before the activity ends
    bool *done = nullptr;
    activity get_return_object() {
      start.handle = std::coroutine_handle<promise_type>::from_promise(*this);
      ready.push(&start);
      return activity{this};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept {
      if (joiner)
        ready.push(joiner);
      return {};
    }
    void return_void() {}
  };
  promise_type *promise;

  // Valid only while the activity has not run yet or is known to live: benchmarks join at once.
  struct joining : waiter {
    promise_type *promise;
    explicit joining(promise_type *p) : promise(p) {}
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) {
      handle = h;
      promise->joiner = this;
    }
    void await_resume() {}
  };
  joining join() { return joining(promise); }
};

// To the end of the run queue.
struct yield : waiter {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    handle = h;
    ready.push(this);
  }
  void await_resume() {}
};

class semaphore {
  long count_;
  queue waiting_;

public:
  explicit semaphore(long count = 0) : count_(count) {}
  struct taking : waiter {
    semaphore &s;
    explicit taking(semaphore &sem) : s(sem) {}
    bool await_ready() { return s.count_ > 0 ? (--s.count_, true) : false; }
    void await_suspend(std::coroutine_handle<> h) {
      handle = h;
      s.waiting_.push(this);
    }
    void await_resume() {}
  };
  taking take() { return taking(*this); }
  void give() {
    if (waiter *w = waiting_.pop())
      ready.push(w);
    else
      ++count_;
  }
};

} // namespace cxx20

#endif
