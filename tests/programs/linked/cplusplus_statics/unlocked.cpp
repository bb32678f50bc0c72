// Variables for which clang takes no lock: those of a thread, and with -fno-threadsafe-statics all. Each is made once
// among the activities of the thread, and once more if an exception has ended the first try.
#include "variables.h"
#include <cstdio>

static int made, threw, ended, done;

struct Counted : Slow {
  Counted(int from) : Slow(from) { made++; }
  ~Counted() { ended++; }
};

static int fails_at_first(int from) {
  ch_sleep(2000000);
  if (threw == 0)
    throw ++threw;
  return from;
}
static void makes(int) {
  try {
    thread_local Counted of_thread(fails_at_first(10) + Slow(20).value);
    static Counted of_program(of_thread.value);
    done += of_thread.value == 32 && of_program.value == 33;
  } catch (int) {
    ch_sleep(1000000);
    done++;
  }
}
inline int in_every_file() {
  thread_local Counted variable(threw == 1 ? 40 : throw 2);
  return variable.value;
}
static void makes_inline(int) {
  for (bool is_made = false; !is_made;)
    try {
      done += in_every_file() == 41;
      is_made = true;
    } catch (int) {
      ch_sleep(1000000);
    }
}

struct Report {
  ~Report() { std::printf("%d unlocked variables made, %d ended\n", made, ended); }
} static report;

void make_unlocked() {
  for (int i = 0; i < 5; i++)
    spawn(makes, i);
  for (int i = 0; i < 3; i++)
    spawn(makes_inline, i);
  while (done < 8)
    ch_sleep(1000000);
}
