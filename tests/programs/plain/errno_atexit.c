/* errno across calls and from failing library functions; exit handlers; the exit status. */
// flags: -lm
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define NI __attribute__((noinline))
static int n;
NI static int t(int x) {
  n += x;
  return x;
}
NI static int fails(void) {
  int fd = open("/nonexistent/file", O_RDONLY);
  return t(1), fd < 0 ? errno : 0;
}
NI static int keeps(int v) {
  errno = v;
  t(2);
  int *p = &errno;
  t(3);
  *p += 1;
  t(4);
  return errno;
}
NI static int converts(const char *s) {
  errno = 0;
  char *end;
  long v = strtol(s, &end, 10);
  t(1);
  return (int)(v % 1000) + errno * 1000 + (*end ? 500000 : 0);
}
static void bye(void) {
  errno = 7;
  printf("bye %d %d\n", t(1), errno);
  fflush(stdout);
}
static void with(int status, void *arg) {
  printf("status %d %s\n", status, (char *)arg);
  t(status);
}
int on_exit(void (*)(int, void *), void *);
int main(void) {
  atexit(bye);
  on_exit(with, "argument");
  printf("%d %d\n", fails() == ENOENT, keeps(40));
  printf("%d %d %d\n", converts("123"), converts("99999999999999999999"), converts("12x"));
  errno = EINTR;
  printf("%s %d\n", strerror(errno), close(-1));
  exit(t(n & 63));
}
