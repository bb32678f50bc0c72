// The coroutine begins at once, on its caller's stack, and counts down a latch at its end. This is what `async` does,
// written by hand.
#include "../common/cxx20.hpp"
#include "../common/measure.h"

enum { piece = 10000 };

static unsigned long sum, never;

// Branches of one finish: a count, and who waits for it.
struct latch {
  unsigned long open = 0;
  cxx20::waiter waiter;
  bool waiting = false;
  void end() {
    if (--open == 0 && waiting)
      cxx20::ready.push(&waiter);
  }
  bool await_ready() { return open == 0; }
  void await_suspend(std::coroutine_handle<> h) {
    waiter.handle = h;
    waiting = true;
  }
  void await_resume() { waiting = false; }
};

struct branch {
  struct promise_type : cxx20::pooled {
    branch get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
  };
};

__attribute__((noinline)) static branch add(unsigned long i, latch &l) {
  l.open++;
  if (i == never)
    co_await cxx20::yield();
  sum += i;
  l.end();
}

__attribute__((noinline)) static branch add_later(unsigned long i, latch &l) {
  l.open++;
  co_await cxx20::yield();
  sum += i;
  l.end();
}

__attribute__((noinline)) static void add_now(unsigned long i) {
  if (i != never)
    sum += i;
}

static cxx20::activity benchmark(const char *name, unsigned long count) {
  double best = 0;
  never = count + 1;
  for (unsigned long from = 0; from < count; from += piece) {
    double start = now_ns();
    latch all;
    if (!strcmp(name, "call")) {
      for (unsigned long i = from; i < from + piece; i++)
        add_now(i);
    } else if (!strcmp(name, "async")) {
      for (unsigned long i = from; i < from + piece; i++)
        add(i, all);
      co_await all;
    } else if (!strcmp(name, "async-yield")) {
      for (unsigned long batch = from; batch < from + piece; batch += 100) {
        for (unsigned long i = batch; i < batch + 100; i++)
          add_later(i, all);
        co_await all;
      }
    } else {
      unknown_case(name);
    }
    double elapsed = now_ns() - start;
    if (from == 0 || elapsed < best)
      best = elapsed;
  }
  expect(sum, count * (count - 1) / 2);
  report("time", best / piece, "ns/call", sum);
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  benchmark(name, strtoul(argv[2], nullptr, 10) / piece * piece);
  cxx20::run();
}
