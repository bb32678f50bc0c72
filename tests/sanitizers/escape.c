// Functions that return while an activity uses their locals by reference; usage: escape CASE.
#include <charcoal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

NOINLINE static void gives_away(void) { // waits nowhere
  int local = 1;
  activate { // plain spawns
    usleep(1000);
    sink = local;
  }
  sink = 2;
} // plain returns

NOINLINE static void gives_away_later(void) {
  int local = 1;
  activate { // waiting spawns
    usleep(1000);
    sink = local;
  }
  usleep(1);
} // waiting returns

NOINLINE static int gives_away_early(int n) {
  int local = n;
  if (n > 0) {
    activate { // early spawns
      usleep(1000);
      sink += local;
    }
  }
  local++;
  return local; // early returns
}

NOINLINE static void gives_handle_away(void) {
  ch_activity handle;
  activate[&handle] { usleep(1000); } // handle spawns
} // handle returns

NOINLINE static void waits(void) {
  int local = 1, copied = 2;
  ch_activity handle;
  activate[&handle] {
    usleep(1000);
    sink += local;
  }
  activate(copied) {
    usleep(1000);
    sink += copied;
  }
  ch_activity_wait(&handle);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "plain") == 0) {
    gives_away();
  } else if (strcmp(name, "waiting") == 0) {
    gives_away_later();
  } else if (strcmp(name, "early") == 0) {
    gives_away_early(argc);
  } else if (strcmp(name, "handle") == 0) {
    gives_handle_away();
  } else if (strcmp(name, "right") == 0) {
    for (int i = 0; i < 3; i++)
      waits();
    puts("end");
    return 0;
  }
  puts("alive still");
  fflush(stdout);
  usleep(10000);
  return 0;
}
