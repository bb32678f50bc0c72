/* Waits once in each way, for valgrind: memory that the kernel wrote counts as defined, no memory is read after it
 * was freed, and none is lost (tools/valgrind/charcoal.supp). */
#define _GNU_SOURCE
#include <charcoal.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void foreign(void *n) { ++*(int *)n; }

int main(void) {
  int p[2], s[2], fd, calls = 0;
  char c = 0, b[10];
  ssize_t n;
  ch_activity a;
  struct stat st;
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  if (pipe(p) || socketpair(AF_UNIX, SOCK_STREAM, 0, s))
    return 1;
  activate[&a] {
    usleep(1000);
    write(p[1], "x", 1);
    usleep(1000);
    send(s[1], "hello", 5, 0);
  }
  printf("%zd", read(p[0], &c, 1));
  printf(" %c", c);
  n = recv(s[0], b, 10, 0);
  printf(" %.*s", (int)n, b);
  activate { usleep(20000); }
  fd = open("file", O_CREAT | O_RDWR | O_TRUNC, 0600);
  printf(" %zd", write(fd, "storage", 7));
  fsync(fd);
  n = pread(fd, b, 9, 0);
  printf(" %.*s", (int)n, b);
  printf(" %d", stat("file", &st) || st.st_size != 7);
  unlink("file");
  close(fd);
  do {
    async n = read(p[0], &c, 1);
    async n += recv(s[0], &c, 1, 0);
    cancel;
  }
  finish;
  printf(" %zd", n);
  for (int i = 0; i < 3; i++)
    ch_offload(foreign, &calls);
  pthread_mutex_lock(&m);
  activate[&a] { pthread_mutex_lock(&m), pthread_mutex_unlock(&m); }
  usleep(1000);
  pthread_mutex_unlock(&m);
  ch_activity_wait(&a);
  printf(" %d\n", calls);
  return 0;
}
