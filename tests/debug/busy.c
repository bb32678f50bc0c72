// A program that looks at itself, or is looked at: many activities at one place, a lock that somebody has, a
// descriptor.
#include <charcoal.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ch_sem gate;
static int ends[2];

__attribute__((noinline)) static int crowd(void) { return ch_sem_wait(&gate) + 1; }
__attribute__((noinline)) static void owner(void) {
  ch_set_name("owner");
  pthread_mutex_lock(&lock);
  crowd(); // owner waits
  pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) static void wants(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) static long reads(void) {
  char c;
  return read(ends[0], &c, 1) + c;
}
static inline long inlined(char **line, size_t *room, FILE *f) {
  return getline(line, room, f); // inlined
}

int main(int argc, char **argv) {
  static long sum;
  if (argc < 2 || pipe(ends) < 0)
    return 1;
  for (int i = 0; i < 10000; i++)
    activate { sum += crowd(); }
  activate { owner(); }
  activate { wants(); }
  activate { sum += reads(); }
  activate {
    char *line = NULL;
    size_t room = 0;
    sum += inlined(&line, &room, fdopen(ends[0], "r")); // caller
  }
  ch_reschedule();
  ch_sleep(1000000);
  if (strcmp(argv[1], "dump") == 0)
    ch_dump(1);
  else if (strcmp(argv[1], "json") == 0)
    ch_dump_as(1, CH_DUMP_JSON);
  else if (strcmp(argv[1], "abort") == 0)
    abort();
  else if (strcmp(argv[1], "kill") == 0)
    raise(SIGKILL);
  else if (strcmp(argv[1], "deadlock") == 0)
    ch_sem_wait(&gate);
  else if (strcmp(argv[1], "serve") == 0) {
    puts("ready");
    fflush(stdout);
    char c;
    sum += read(0, &c, 1);
  }
  _exit(sum < 0);
}
