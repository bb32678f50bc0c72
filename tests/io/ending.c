/* What a program writes when it ends, in its order, under plain clang and under charcoal-cc: handlers (the last one
 * first), destructors, and then the streams. tests/io/check compares both outputs. ending HOW [OTHERS] */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __CHARCOAL__
#include <charcoal.h>
static ch_sem never;
static void others(void) {
  ch_sem_init(&never, 0);
  activate { ch_sem_wait(&never); }
  activate { sleep(1000); }
}
#else
static void others(void) {}
#endif

static void say(const char *s) {
  if (write(1, s, strlen(s)) < 0)
    _exit(99);
}
static void first_handler(void) {
  say("handler 1\n");
  printf("printed by handler 1\n");
}
static void late_handler(void) { say("registered by a handler\n"); }
static void second_handler(void) {
  say("handler 2\n");
  printf("printed by handler 2\n");
  atexit(late_handler);
}
static void with_status(int status, void *text) {
  char line[100];
  snprintf(line, sizeof line, "%s %d\n", (char *)text, status);
  say(line);
}
static void ends_again(void) { exit(9); }
__attribute__((destructor)) static void destructor(void) {
  say("destructor\n");
  printf("printed by the destructor\n");
}
__attribute__((destructor(200))) static void later_destructor(void) { say("later destructor\n"); }

static int deep(int n, const char *how) {
  char room[64];
  memset(room, n, sizeof room);
  if (n > 0)
    return deep(n - 1, how) + room[5] - n;
  if (strcmp(how, "deep") == 0)
    exit(3);
  return 4;
}

/* A handler of ours that a foreign function calls. */
static int compare(const void *a, const void *b) {
  (void)a, (void)b;
  exit(6);
}

/* More than its pipe holds: the flush at the end waits for somebody in this program. */
static int in;
static void read_on(void) {
  static char some[4096];
  long all = 0, n;
  while (all < 100000 && (n = read(in, some, sizeof some)) > 0)
    all += n;
  say("half has come\n");
  while (read(in, some, sizeof some) > 0)
    continue;
}
#ifdef __CHARCOAL__
static void start_reader(void) {
  activate { read_on(); }
}
#else
#include <pthread.h>
static void *reader(void *none) { return read_on(), none; }
static void start_reader(void) {
  pthread_t t;
  pthread_create(&t, NULL, reader, NULL);
}
#endif
static void fill(void) {
  static char room[300000], data[200000];
  int p[2];
  if (pipe(p) < 0)
    _exit(99);
  FILE *f = fdopen(p[1], "w");
  setvbuf(f, room, _IOFBF, sizeof room);
  in = p[0];
  start_reader();
  fwrite(data, 1, sizeof data, f);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  FILE *other = fdopen(dup(1), "w");
  if (argc > 2)
    others();
  atexit(first_handler);
  on_exit(with_status, "on_exit");
  atexit(second_handler);
  printf("printed before the end\n");
  fprintf(other, "printed to another stream\n");
  if (strncmp(how, "full", 4) == 0)
    fill();
  if (strcmp(how, "full, exit") == 0)
    exit(4);
  if (strcmp(how, "deep") == 0)
    return deep(20, how);
  if (strcmp(how, "callback") == 0) {
    int two[2] = {2, 1};
    qsort(two, 2, sizeof *two, compare);
  }
  if (strcmp(how, "again") == 0) {
    atexit(ends_again);
    return 1;
  }
  if (strcmp(how, "quick") == 0) {
    at_quick_exit(first_handler);
    quick_exit(2);
  }
  if (strcmp(how, "at once") == 0)
    _exit(8);
  if (strcmp(how, "child") == 0) {
    int status;
    pid_t child = fork();
    if (child == 0)
      exit(5);
    waitpid(child, &status, 0);
    printf("child: %d\n", WEXITSTATUS(status));
  }
  return 7;
}
