// skip: address (the functions of these names in the executable are the sanitizer's)
// skip: undefined (this sanitizer calls the runtime before any constructor, so before it has left out the program)
// Functions and variables of a program's own with names that the C library has beyond ISO C. Nobody else calls them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int usleep(unsigned);
int pipe(int[2]);
FILE *fdopen(int, const char *);

struct pair {
  double a, b, c;
};

static int calls;
static struct pair called(double by) {
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return (struct pair){by, by + 1, by * 2};
}

#define OTHER(name)                                                                                                    \
  struct pair name(double by) { return called(by); }
#define OTHERS(a, b, c, d) OTHER(a) OTHER(b) OTHER(c) OTHER(d)
OTHERS(accept4, close, connect, dup);
OTHERS(dup2, epoll_ctl, epoll_wait, eventfd);
OTHERS(fcntl, fstat, getpid, gettid);
OTHERS(ioctl, madvise, mmap, munmap);
OTHERS(open, opendir, pause, poll);
OTHERS(ppoll, read, readlink, recv);
OTHERS(send, sendmsg, sysconf, syscall);
OTHERS(tgkill, wait4, waitpid, write);
OTHERS(writev, lseek, getpgrp, fchmod);
int socket[4] = {1, 2, 3, 4}, stat[4] = {5, 6, 7, 8};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *take_turns(void *unused) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    usleep(50);
    turns++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static FILE *to;

static void *say(void *unused) {
  usleep(1000);
  fputs("a line through a pipe\n", to);
  fclose(to);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, take_turns, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("%d turns\n", turns);

  int ends[2];
  pthread_t sayer;
  if (pipe(ends))
    return 1;
  FILE *from = fdopen(ends[0], "r");
  to = fdopen(ends[1], "w");
  pthread_create(&sayer, NULL, say, NULL);
  char line[40] = "";
  fgets(line, sizeof line, from);
  pthread_join(sayer, NULL);
  fclose(from);
  printf("%s%d\n", line, system("exit 3"));

  struct pair one = read(3), other = close(one.c);
  printf("%g %g %d: %d calls\n", one.b, other.c, socket[3] + stat[0], calls);
}
