// Functions that return while an activity uses their locals by reference; usage: escape CASE.
#include <charcoal.h>
#include <charcoal/channel.h>
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

NOINLINE static void trusts_a_message(void) {
  channel(int) said = {0};
  int local = 1, text;
  activate { // message spawns
    int one = 1;
    ch_send(&said, &one);
    usleep(1000);
    sink += local;
  }
  ch_reschedule(); // it waits in ch_send now
  ch_recv(&said, &text);
} // message returns

NOINLINE static void finishes(ch_sem *done) { ch_sem_post(done); }

NOINLINE static void counts(channel(int) *numbers) {
  for (int i = 0; i < 3; i++)
    ch_send(numbers, &i);
}

// The activities may be alive at the return, but their messages are the last use of what they know.
NOINLINE static void waits_for_the_last_use(void) {
  channel(int) said = {0};
  ch_sem done = CH_SEM_INIT(0);
  int text;
  activate {
    int one = 1;
    ch_send(&said, &one);
    sink++;
  }
  activate finishes(&done);
  activate counts(&said);
  ch_reschedule();
  for (int i = 0; i < 4; i++)
    ch_recv(&said, &text);
  ch_sem_wait(&done);
}

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
  } else if (strcmp(name, "message") == 0) {
    trusts_a_message();
  } else if (strcmp(name, "right") == 0) {
    for (int i = 0; i < 3; i++)
      waits(), waits_for_the_last_use();
    puts("end");
    return 0;
  }
  puts("alive still");
  fflush(stdout);
  usleep(10000);
  return 0;
}
