#include "variables.h"
#include <atomic>
#include <cstdio>
#include <thread>

static int done;

static void asks(int number) {
  const int seen = number % 2 ? asks_in_plain_code(10) : around(10).value;
  if (seen != 12)
    std::printf("activity %d saw %d\n", number, seen);
  done++;
}

static std::atomic<int> threads_begun, being_made;
static Slow &of_thread() {
  static Slow variable([] {
    being_made = 1;
    while (threads_begun < 2)
      ch_sleep(1000000);
    return 20;
  }());
  return variable;
}
static void makes_for_threads(int) { done += of_thread().value == 21; }

static int tries;
static int ends_at_first() {
  if (tries++ == 0)
    end_activity();
  return 30;
}
static void makes_after_an_end(int) {
  static Slow variable(ends_at_first());
  done += variable.value == 31;
}

static void wait_for(int number) {
  while (done < number)
    ch_sleep(1000000);
  std::printf("%d\n", done);
  done = 0;
}

int main() {
  for (int i = 0; i < 6; i++)
    spawn(asks, i);
  wait_for(6);

  spawn(makes_for_threads, 0);
  std::atomic<int> seen{0};
  auto of_a_thread = [&] {
    while (!being_made)
      std::this_thread::yield();
    threads_begun++;
    seen += of_thread().value;
  };
  std::thread one(of_a_thread), other(of_a_thread);
  wait_for(1);
  one.join();
  other.join();
  std::printf("%d\n", seen.load());

  for (int i = 0; i < 3; i++)
    spawn(makes_after_an_end, 0);
  wait_for(2);
  std::printf("%d tries\n", tries);

  make_unlocked();
  make_those_of_threads();
}
