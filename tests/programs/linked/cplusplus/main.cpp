// Calls in all the ways that C++ has and C has not, each of them with a wait inside.
#include "parts.h"
#include <algorithm>
#include <condition_variable>
#include <coroutine>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Cow : Animal {
  const char *name() const override { return nap(), "moo "; }
};

struct Left {
  int left = 1;
  virtual int value() { return nap(), left; }
  virtual ~Left() = default;
};
struct Sums {
  virtual int sum(int n, ...) = 0;
  virtual ~Sums() = default;
};
// Called through Sums, `sum` gets there by a thunk that hands on its variable arguments.
struct Both : Left, Sums {
  int sum(int n, ...) override {
    va_list all;
    int result = left;
    va_start(all, n);
    for (; n > 0; n--, nap())
      result += va_arg(all, int);
    va_end(all);
    return result;
  }
};
struct Middle : virtual Left {
  int value() override { return nap(), left + 10; }
};
struct Other : virtual Left {};
struct Diamond : Middle, Other {
  int value() override { return Middle::value() + 100; }
};

struct Counter {
  int by = 2;
  int add(int n) { return nap(), n + by; }
  virtual int multiply(int n) { return nap(), n * by; }
};

struct Squares {
  struct promise_type {
    int value = 0;
    Squares get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { return value = v, std::suspend_always(); }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static Squares squares(int n) {
  for (int i = 0; i < n; i++, nap())
    co_yield i *i;
}

thread_local std::string of_thread = twice(4);

struct AtTheEnd {
  AtTheEnd() { nap(), std::puts("begins"); }
  ~AtTheEnd() { nap(), std::puts("ends"); }
} at_the_end;

int main() {
  std::vector<std::unique_ptr<Animal>> animals;
  animals.push_back(std::make_unique<Cow>());
  std::printf("%s\n", animals[0]->sound(3).c_str());
  Both both;
  Sums &sums = both;
  Diamond diamond;
  Left &left = diamond;
  std::printf("%d %d\n", sums.sum(3, 10, 20, 30), left.value());
  Counter counter;
  int (Counter::*method)(int) = &Counter::add;
  std::printf("%d ", (counter.*method)(5));
  method = &Counter::multiply;
  std::printf("%d\n", (counter.*method)(5));
  std::map<std::string, int> seen;
  std::function<int(const std::string &)> note = [&](const std::string &key) { return nap(), ++seen[key]; };
  note("a"), note("b");
  std::printf("%d %zu\n", note("a"), seen.size());
  std::vector<int> numbers{5, 3, 9, 1, 7};
  std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return nap(), a < b; });
  for (int n : numbers)
    std::printf("%d ", n);
  Squares all = squares(4);
  while (all.handle.resume(), !all.handle.done())
    std::printf("%d ", all.handle.promise().value);
  all.handle.destroy();
  std::printf("%s\n", of_thread.c_str());
  std::printf("%d %s %d\n", number(), twice(7).c_str(), number());
  objects();
  std::printf("%d %s\n", throws_and_catches(*animals[0], 3), foreign(*animals[0]).c_str());

  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;
  std::thread other([&] {
    std::unique_lock<std::mutex> lock(mutex);
    for (; turn < 6; turn++, changed.notify_all())
      changed.wait(lock, [&] { return turn % 2 == 1 || turn >= 6; });
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    for (; turn < 5; turn++, changed.notify_all())
      changed.wait(lock, [&] { return turn % 2 == 0; });
    turn = 7;
    changed.notify_all();
  }
  other.join();
}
