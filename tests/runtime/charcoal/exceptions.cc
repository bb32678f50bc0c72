/* C++: exceptions across waits. A function that waits may throw, and so may one that it has called; handlers and
 * destructors may wait. */
#include "harness.h"
#include <charcoal.hpp>
#include <algorithm>
#include <memory>
#include <mutex>
#include <setjmp.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std::chrono_literals;

static void pause_briefly() { ch_sleep(1); }

/* What has happened, in order. */
static std::string events;
static int alive_notes;
struct noted {
  std::string name;
  explicit noted(std::string n) : name(std::move(n)) {
    events += "+" + name;
    __atomic_fetch_add(&alive_notes, 1, __ATOMIC_SEQ_CST);
  }
  noted(const noted &) = delete;
  ~noted() {
    pause_briefly();
    events += "-" + name;
    __atomic_fetch_sub(&alive_notes, 1, __ATOMIC_SEQ_CST);
  }
};
struct problem : std::runtime_error {
  int number;
  explicit problem(int n) : std::runtime_error("problem"), number(n) {}
};

/* The call that throws is the innermost of `depth`, and each has waited before it calls the next. */
__attribute__((noinline)) static int fail_at(int depth) {
  pause_briefly();
  noted here(std::to_string(depth));
  if (depth == 0)
    throw problem(depth);
  return fail_at(depth - 1) + 1;
}
__attribute__((noinline)) static int through_one_without_cleanups(int depth) {
  int result = fail_at(depth);
  pause_briefly();
  return result + 1;
}

TEST(destructors_of_callers_that_have_waited_run_in_order_and_may_wait) {
  int caught = -1;
  try {
    through_one_without_cleanups(2);
  } catch (const problem &it) {
    caught = it.number;
  }
  EXPECT(caught == 0);
  EXPECT(std::exchange(events, {}) == "+2+1+0-0-1-2");
}

TEST(the_innermost_handler_that_fits_is_found_by_its_type) {
  std::string found;
  auto try_it = [&](auto thrown) {
    try {
      try {
        pause_briefly();
        throw thrown;
      } catch (const std::logic_error &) {
        found += "logic ";
      } catch (int) {
        pause_briefly();
        found += "int ";
      }
    } catch (const std::exception &) {
      found += "exception ";
    } catch (...) {
      pause_briefly();
      found += "other ";
    }
  };
  try_it(1);
  try_it(problem(1));
  try_it(std::out_of_range("far"));
  try_it(1.5);
  EXPECT(found == "int exception logic other ");
}

struct left {
  int l = 1;
  virtual ~left() = default;
};
struct right {
  int r = 2;
  virtual ~right() = default;
};
struct both : left, right {};
TEST(a_handler_of_a_base_gets_the_address_of_that_part) {
  int seen = 0;
  auto throws = [] {
    pause_briefly();
    throw both();
  };
  try {
    throws();
  } catch (right &it) {
    pause_briefly();
    seen = it.r;
  }
  EXPECT(seen == 2);
}

TEST(handlers_of_many_activities_wait_without_mixing_up_their_exceptions) {
  int right_ones = 0;
  charcoal::finish([&](charcoal::scope &all) {
    for (int i = 0; i < 50; i++)
      all.activate([&right_ones, i] {
        try {
          ch_sleep(i % 7);
          throw problem(i);
        } catch (const problem &it) {
          ch_sleep(i % 5);
          const bool handled = std::uncaught_exceptions() == 0 && std::current_exception();
          try {
            try {
              throw;
            } catch (const std::exception &) {
              ch_sleep(i % 3);
              throw std::to_string(it.number);
            }
          } catch (const std::string &text) {
            ch_sleep(i % 4);
            right_ones += handled && text == std::to_string(i) && it.number == i;
          }
        }
        right_ones += !std::current_exception();
      });
  });
  EXPECT(right_ones == 100);
}

TEST(what_is_uncaught_is_counted_for_each_activity) {
  struct counts_in_destructor {
    int *count;
    ~counts_in_destructor() {
      pause_briefly();
      *count = std::uncaught_exceptions();
    }
  };
  int while_thrown = -1, elsewhere = -1;
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] {
      try {
        counts_in_destructor here{&while_thrown};
        throw 1;
      } catch (int) {
      }
    });
    s.activate([&] { elsewhere = std::uncaught_exceptions(); });
  });
  EXPECT(while_thrown == 1 && elsewhere == 0);
}

TEST(an_exception_inside_a_destructor_does_not_end_the_one_outside) {
  struct tries {
    ~tries() {
      try {
        pause_briefly();
        throw std::string("inner");
      } catch (const std::string &) {
        pause_briefly();
        events += "inner ";
      }
    }
  };
  try {
    tries here;
    pause_briefly();
    throw 7;
  } catch (int it) {
    events += std::to_string(it);
  }
  EXPECT(std::exchange(events, {}) == "inner 7");
}

struct part {
  noted member{"member"};
  part(bool fails) try : member("member") {
    pause_briefly();
    if (fails)
      throw problem(3);
  } catch (problem &) {
    pause_briefly();
    events += "!";
  }
};
TEST(a_constructor_that_throws_gives_back_what_it_has_made) {
  int caught = 0;
  try {
    auto never = std::make_unique<part>(true);
    pause_briefly();
  } catch (const problem &it) { /* a handler around a constructor throws on */
    caught = it.number;
  }
  EXPECT(caught == 3);
  EXPECT(std::exchange(events, {}) == "+member-member!");
}

TEST(a_local_static_variable_whose_making_fails_is_made_by_the_next) {
  static int attempts;
  auto get = [] {
    static int value = [] {
      pause_briefly();
      if (attempts++ == 0)
        throw problem(0);
      return 5;
    }();
    return value;
  };
  int failures = 0, sum = 0;
  charcoal::finish([&](charcoal::scope &s) {
    for (int i = 0; i < 3; i++)
      s.activate([&] {
        try {
          sum += get();
        } catch (const problem &) {
          failures++;
        }
      });
  });
  EXPECT(failures == 1 && sum == 10 && attempts == 2);
}

TEST(what_is_to_be_done_once_is_done_again_after_a_failure) {
  std::once_flag flag;
  int attempts = 0, failures = 0;
  charcoal::finish([&](charcoal::scope &s) {
    for (int i = 0; i < 3; i++)
      s.activate([&] {
        try {
          std::call_once(flag, [&] {
            pause_briefly();
            if (attempts++ == 0)
              throw problem(0);
          });
        } catch (const problem &) {
          failures++;
        }
      });
  });
  EXPECT(attempts == 2 && failures == 1);
}

/* GNU's C++ library hands the function over by variables of the thread. */
TEST(activities_that_call_different_functions_once_call_their_own) {
  int right = 0, wrong = 0;
  charcoal::finish([&](charcoal::scope &s) {
    for (int i = 0; i < 4; i++)
      s.activate([&, i] {
        for (int k = 0; k < 3; k++) {
          std::once_flag flag;
          int called = -1;
          std::call_once(flag, [&] {
            called = i;
            pause_briefly();
          });
          right += called == i;
          std::call_once(flag, [&] { wrong++; });
        }
      });
  });
  EXPECT(right == 12 && wrong == 0);
}

TEST(locks_are_given_back) {
  std::mutex lock;
  int entered = 0;
  charcoal::finish([&](charcoal::scope &s) {
    for (int i = 0; i < 4; i++)
      s.activate([&, i] {
        try {
          std::lock_guard held(lock);
          pause_briefly();
          entered++;
          throw i;
        } catch (int) {
        }
      });
  });
  EXPECT(entered == 4);
}

__attribute__((noinline)) static long descend(long n) {
  struct counts {
    long &by;
    ~counts() { by++; }
  };
  static long unwound;
  counts here{unwound};
  if (n == 0) {
    pause_briefly();
    throw &unwound;
  }
  return descend(n - 1) + 1;
}
TEST(a_deep_chain_of_callers_is_unwound) {
  long *count = nullptr;
  try {
    descend(2000);
  } catch (long *it) {
    count = it;
  }
  EXPECT(count && *count == 2001);
}

TEST(plain_code_throws_through_interruptible_code) {
  std::string text = "short";
  bool caught = false;
  try {
    noted here("x");
    pause_briefly();
    text.at(10);
  } catch (const std::out_of_range &) {
    caught = true;
  }
  EXPECT(caught);
  std::vector<int> numbers{3, 1, 2};
  caught = false;
  try { /* the C++ library is plain, and so is what it calls */
    std::sort(numbers.begin(), numbers.end(), [](int, int) -> bool { throw problem(9); });
  } catch (const problem &it) {
    caught = it.number == 9;
  }
  EXPECT(caught);
  EXPECT(std::exchange(events, {}) == "+x-x");
}

/* ---- functions that call setjmp, which keep their stack while what they call waits ---- */

static jmp_buf escape;
template <typename F> __attribute__((noinline, flatten)) static int calls_setjmp(F &&body) {
  volatile int result = -1;
  if (setjmp(escape) == 0)
    result = body();
  return result;
}

TEST(an_exception_that_passes_a_function_that_calls_setjmp_is_counted_once) {
  int in_destructor = -1, in_handler = -1;
  struct counts_in_destructor {
    int *count;
    ~counts_in_destructor() { *count = std::uncaught_exceptions(); }
  };
  try {
    counts_in_destructor here{&in_destructor};
    calls_setjmp([]() -> int {
      pause_briefly();
      throw problem(1);
    });
  } catch (const problem &) {
    in_handler = std::uncaught_exceptions();
  }
  EXPECT(in_destructor == 1);
  EXPECT(in_handler == 0);
  EXPECT(std::uncaught_exceptions() == 0 && !std::current_exception());
}

TEST(below_a_function_that_calls_setjmp_a_handler_waits_and_throws_on) {
  int first = -1, second = -1, others = 0;
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] {
      try {
        calls_setjmp([&]() -> int {
          try {
            throw problem(2);
          } catch (const problem &it) {
            pause_briefly();
            first = it.number;
            throw;
          }
        });
      } catch (const problem &it) {
        second = it.number;
      }
    });
    s.activate([&] { others += !!std::current_exception() + std::uncaught_exceptions(); });
  });
  EXPECT(first == 2 && second == 2 && others == 0);
  EXPECT(std::uncaught_exceptions() == 0 && !std::current_exception());
}

TEST(below_a_function_that_calls_setjmp_the_exception_of_a_callers_handler_is_known_after_a_wait) {
  int known = -1, result = -1;
  try {
    throw problem(3);
  } catch (const problem &) {
    result = calls_setjmp([&] {
      pause_briefly();
      try {
        throw;
      } catch (const problem &it) {
        known = it.number;
      }
      pause_briefly();
      return 4;
    });
  }
  EXPECT(known == 3 && result == 4);
  EXPECT(!std::current_exception());
}

/* A function that calls setjmp and runs in a scope begins anew when its callers have been set aside. */
TEST(plain_code_throws_through_a_function_that_calls_setjmp) {
  std::string text = "short";
  int caught = 0;
  charcoal::finish([&](charcoal::scope &s) {
    for (int i = 0; i < 3; i++)
      s.activate([&] {
        try {
          noted here("x");
          charcoal::finish([&](charcoal::scope &) { calls_setjmp([&] { return text.at(10); }); });
        } catch (const std::out_of_range &) {
          caught++;
        }
      });
  });
  EXPECT(caught == 3 && alive_notes == 0);
  EXPECT(std::exchange(events, {}).size() == 12);
}

/* ---- statements ---- */

TEST(an_exception_leaves_a_scope_when_all_in_it_has_ended) {
  int cancelled = 0;
  try {
    charcoal::finish([&](charcoal::scope &s) {
      for (int i = 0; i < 3; i++)
        s.activate([&] {
          if (ch_sleep(INT64_MAX) == ECANCELED)
            cancelled++;
        });
      pause_briefly();
      throw problem(4);
    });
    EXPECT(!"reached");
  } catch (const problem &it) {
    EXPECT(it.number == 4 && cancelled == 3);
  }
  EXPECT(!ch_cancelled());
}

TEST(an_exception_of_an_activity_cancels_its_scope_and_the_first_goes_on) {
  int cancelled = 0, caught = -1;
  try {
    charcoal::within(60s, [&](charcoal::scope &s) {
      s.activate([&] {
        if (ch_sleep(INT64_MAX) == ECANCELED)
          cancelled++;
        throw problem(2);
      });
      s.activate([&] {
        pause_briefly();
        throw problem(1);
      });
      if (ch_sleep(INT64_MAX) == ECANCELED)
        cancelled++;
    });
  } catch (const problem &it) {
    caught = it.number;
  }
  EXPECT(caught == 1 && cancelled == 2);
}

TEST(exceptions_leave_the_statements_that_return_values) {
  int caught = 0;
  auto fails = [](int n) -> std::string {
    if (n)
      throw problem(n);
    return "fine";
  };
  EXPECT(charcoal::atomic([&] { return fails(0); }) == "fine");
  EXPECT(charcoal::finish([&] { return fails(0); }) == "fine");
  try {
    charcoal::atomic([&] { return fails(1); });
  } catch (const problem &it) {
    caught += it.number;
  }
  try {
    charcoal::noncancellable([&] {
      pause_briefly();
      return fails(10);
    });
  } catch (const problem &it) {
    caught += it.number;
  }
  EXPECT(caught == 11);
  bool others_run = false; /* the atomic block is over */
  charcoal::activity other([&] { others_run = true; });
  pause_briefly();
  EXPECT(others_run);
}

/* ---- the end of a thread ---- */

static void *ends_below(void *) {
  noted outer("o");
  try {
    noted inner("i");
    pause_briefly();
    [] {
      noted innermost("m");
      pause_briefly();
      pthread_exit(reinterpret_cast<void *>(5));
    }();
  } catch (const problem &) {
    events += "wrong";
  } catch (...) { /* it has to be thrown on */
    pause_briefly();
    events += "!";
    throw;
  }
  return nullptr;
}
TEST(pthread_exit_runs_the_destructors_of_callers_that_have_waited) {
  pthread_t thread;
  void *result = nullptr;
  pthread_create(&thread, nullptr, ends_below, nullptr);
  pthread_join(thread, &result);
  EXPECT(reinterpret_cast<intptr_t>(result) == 5);
  EXPECT(std::exchange(events, {}) == "+o+i+m-m-i!-o");
}

static int silent[2];
static void *waits_for_ever(void *) {
  noted outer("o");
  try {
    noted inner("i");
    pause_briefly();
    char byte;
    if (read(silent[0], &byte, 1) >= 0)
      events += "wrong";
  } catch (...) {
    pause_briefly();
    events += "!";
    throw;
  }
  return nullptr;
}
TEST(pthread_cancel_runs_the_destructors_of_callers_that_have_waited) {
  EXPECT(pipe(silent) == 0);
  pthread_t thread;
  void *result = nullptr;
  pthread_create(&thread, nullptr, waits_for_ever, nullptr);
  while (__atomic_load_n(&alive_notes, __ATOMIC_SEQ_CST) < 2)
    usleep(100);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  EXPECT(result == PTHREAD_CANCELED);
  EXPECT(std::exchange(events, {}) == "+o+i-i!-o");
}

/* ---- what nobody catches ---- */

static void say_which_and_exit() {
  try {
    throw;
  } catch (const problem &it) {
    fprintf(stderr, "terminated by problem %d\n", it.number);
  }
  _exit(3);
}

TEST_EXITS(an_exception_that_leaves_an_activity_ends_the_program, 3, "terminated by problem 8") {
  std::set_terminate(say_which_and_exit);
  charcoal::activity fails([] {
    pause_briefly();
    throw problem(8);
  });
  fails.wait();
}

TEST_EXITS(an_exception_does_not_leave_a_function_that_is_noexcept, 3, "terminated by problem 0") {
  std::set_terminate(say_which_and_exit);
  auto fails = []() noexcept {
    pause_briefly();
    fail_at(1);
  };
  try {
    fails();
  } catch (const problem &) {
    EXPECT(!"caught");
  }
}
