// The `thread_local` variables of namespaces and classes: made once, by the activity that uses one of them first. What
// makes them may use them meanwhile, and other activities wait.
#include "variables.h"
#include <cstdio>
#include <thread>

static int made;
static int slowly(int from) {
  made++;
  return Slow(from).value;
}

extern thread_local int later;
inline thread_local int of_several_files = slowly(1);
template <class T> struct Of {
  static thread_local int member;
};
template <class T> thread_local int Of<T>::member = slowly(2) + of_several_files;
thread_local int sooner = slowly(3) + later;
thread_local int later = slowly(4) + sooner;
static thread_local Slow hidden(later);

// In another order each time, so that each guard is the first one of some thread.
static int all(int order) {
  const int member = order == 1 ? Of<int>::member : 0, several = order == 2 ? of_several_files : 0;
  return 10000 * hidden.value + 1000 * later + 100 * sooner + 10 * (several ? several : of_several_files) +
         (member ? member : Of<int>::member);
}

static int done;
static void uses(int order) {
  if (int seen = all(order); seen != 109425)
    std::printf("an activity saw %d\n", seen);
  done++;
}
static void use_in_thread(int order) {
  done = 0;
  for (int i = 0; i < 4; i++)
    spawn(uses, order);
  while (done < 4)
    ch_sleep(1000000);
}

void make_those_of_threads() {
  use_in_thread(0);
  std::printf("%d made\n", made);
  for (int order = 1; order <= 2; order++)
    std::thread([=] { use_in_thread(order); }).join();
  std::thread([] { std::printf("%d in a thread without activities\n", all(0)); }).join();
  std::printf("%d made in all\n", made);
}
