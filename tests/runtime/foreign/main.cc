// A main in C++ that uses a library in Charcoal C.
#include "library.h"
#include <charcoal.h>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sched.h>
#include <stdexcept>
#include <thread>

#define EXPECT(condition)                                                                                              \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                                    \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  while (0)

static int right;
static void one(void *) { right += cpp_in_catch("one", 20, 40); }
static void two(void *) { right += cpp_in_catch("two", 30, 10); }
static void throws(void *) { throw std::runtime_error("through C"); }

static void waits() {
  EXPECT(lib_wait(1) == 7);
  EXPECT(ch_sleep(1000) == 0);
  EXPECT(lib_wait(1) == 7);
}
static void handles() {
  lib_activate(one, nullptr);
  lib_activate(two, nullptr);
  EXPECT(lib_all_ended() && right == 2);
  EXPECT(std::uncaught_exceptions() == 0 && std::current_exception() == nullptr);
}
static void unwinds() {
  EXPECT(lib_wait(1) == 7);
  bool caught = false;
  try {
    lib_call(throws, nullptr);
  } catch (const std::exception &e) {
    caught = strcmp(e.what(), "through C") == 0;
    EXPECT(lib_wait(1) == 7);
  }
  EXPECT(caught && lib_wait(1) == 7);
}
static void has_threads() {
  static int ended;
  std::thread threads[3];
  for (std::thread &t : threads)
    t = std::thread([] {
      waits();
      lib_leave_behind("in a thread");
    });
  for (std::thread &t : threads)
    t.join();
  ch_thread domain;
  EXPECT(ch_domain_start(&domain, [](void *e) { *static_cast<int *>(e) = lib_wait(1); }, &ended) == 0);
  EXPECT(ch_domain_join(&domain) == 0 && ended == 7);
}
static void leaves() {
  EXPECT(ch_domain_enter() == 0);
  lib_leave_behind("before it left");
  EXPECT(ch_domain_leave() == 0);
  std::printf("left\n");
}
static void ends() {
  lib_leave_behind("at the end");
  std::printf("main ends\n");
  std::fflush(stdout);
}
static void goes() { // exits in another thread than the one that activated something
  static std::atomic<bool> left{false};
  std::thread([] { // never waits, not even for a barrier: then the activity could run
    lib_leave_behind("never");
    left = true;
    for (;;)
      sched_yield();
  })
      .detach();
  while (!left)
    sched_yield();
  std::exit(0);
}

int main(int, char **argv) {
  static const struct {
    const char *name;
    void (*run)();
  } all[] = {{"waits", waits},   {"handles", handles}, {"unwinds", unwinds}, {"has_threads", has_threads},
             {"leaves", leaves}, {"ends", ends},       {"goes", goes}};
  for (const auto &each : all)
    if (!strcmp(argv[1], each.name)) {
      each.run();
      return 0;
    }
  return 2;
}
