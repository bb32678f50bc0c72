// Tests the C library's calls as clauses of `waituntil`: the selected clause makes its call at the moment when it is
// selected, and the other clauses have had no effect.
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#define MS 1000000
static int listener(struct sockaddr_in *a) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t n = sizeof *a;
  *a = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  bind(fd, (struct sockaddr *)a, sizeof *a);
  listen(fd, 10);
  getsockname(fd, (struct sockaddr *)a, &n);
  return fd;
}
static int waiting(int fd) {
  struct pollfd p = {fd, POLLIN, 0};
  return poll(&p, 1, 0);
}
int main(void) {
  int a[2], b[2];
  char buf[10] = "";
  long r = 0;
  ch_sem s = CH_SEM_INIT(0);
  pipe(a);
  socketpair(AF_UNIX, SOCK_STREAM, 0, b);
  activate {
    ch_sleep(MS);
    write(a[1], "x", 1);
    write(b[1], "yy", 2);
  }
  waituntil(r = read(a[0], buf, 10)) printf("read %ld %c; ", r, buf[0]);
  or waituntil(r = recv(b[0], buf, 10, 0)) printf("recv %ld %c; ", r, buf[0]);
  or waituntil(ch_sleep(1000 * MS)) puts("late");
  waituntil(r = read(a[0], buf, 10)) puts("never");
  or waituntil(r = recv(b[0], buf, 10, 0)) printf("recv %ld %c\n", r, buf[0]);
  activate {
    write(b[1], "z", 1);
    ch_sleep(MS);
    write(a[1], "w", 1);
    ch_sleep(MS);
    ch_sem_post(&s);
  }
  waituntil(ch_sem_wait(&s)) puts("sem");
  and waituntil(r = read(a[0], buf, 10)) printf("read %ld %c; ", r, buf[0]);
  and waituntil(r = recv(b[0], buf, 10, 0)) printf("recv %ld %c; ", r, buf[0]);
  activate { close(a[1]); }
  waituntil(r = read(a[0], buf, 10)) printf("end %ld\n", r);
  struct sockaddr_in at;
  int l = listener(&at), c = socket(AF_INET, SOCK_STREAM, 0), d = -1, e = -1;
  waituntil(e = connect(c, (struct sockaddr *)&at, sizeof at)) printf("connected %d, listener has %d; ", e, waiting(l));
  or waituntil(ch_sleep(1000 * MS)) puts("late");
  waituntil(d = accept4(l, NULL, NULL, SOCK_CLOEXEC)) printf("accepted %d; ", d >= 0);
  or waituntil(ch_sleep(100 * MS)) puts("never");
  waituntil(r = recv(d, buf, 10, 0)) puts("never");
  or waituntil(r = send(c, "hello", 5, 0)) printf("sent %ld; ", r);
  waituntil(r = recv(d, buf, 10, 0)) printf("got %.5s\n", buf);
  struct sockaddr_in busy; /* a listener with no room: who connects has to wait */
  int l2 = listener(&busy), c2 = socket(AF_INET, SOCK_STREAM, 0);
  listen(l2, 0);
  for (int i = 0; i < 3; i++)
    connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), (struct sockaddr *)&busy, sizeof busy);
  socklen_t length = sizeof busy;
  waituntil(e = connect(c2, (struct sockaddr *)&busy, sizeof busy)) puts("never");
  or waituntil(ch_sleep(5 * MS)) printf("taken back: %d\n", getpeername(c2, (struct sockaddr *)&busy, &length) < 0);
  pid_t p = fork();
  if (p == 0) {
    usleep(20000);
    _exit(7);
  }
  int status = 0;
  waituntil(r = waitpid(p, &status, 0)) puts("never");
  or waituntil(ch_sleep(2 * MS)) printf("not yet; ");
  waituntil(r = waitpid(p, &status, 0)) printf("child %d %d\n", r == p, WEXITSTATUS(status));
  or waituntil(ch_sleep(10000 * (int64_t)MS)) puts("late");
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int got = 0;
  activate {
    ch_sleep(MS);
    kill(getpid(), SIGUSR1);
  }
  waituntil(r = sigwait(&set, &got)) printf("signal %ld %d; ", r, got == SIGUSR1);
  or waituntil(ch_sleep(1000 * MS)) puts("late");
  waituntil(r = sigtimedwait(&set, NULL, &(struct timespec){0, MS})) printf("%ld %s; ", r, strerror(errno));
  waituntil(r = sigtimedwait(&set, NULL, &(struct timespec){0, 1000 * MS})) printf("%s; ", strerror(errno));
  waituntil(r = sigtimedwait(&set, NULL, (struct timespec *)8)) printf("%s; ", strerror(errno));
  waituntil(r = ch_fd_wait(l, POLLIN, 2 * MS)) printf("%ld; ", r);
  or waituntil(ch_sleep(1000 * MS)) puts("late");
  waituntil(r = ch_fd_wait(9999, POLLIN, 2 * MS)) printf("%d; ", r == -EBADF);
  int closing = dup(b[0]);
  activate {
    ch_sleep(MS);
    close(closing);
  }
  waituntil(r = recv(closing, buf, 1, 0)) printf("%ld %s\n", r, strerror(errno));
  and waituntil(ch_sleep(3 * MS)) {}
  waituntil(r = recv(b[0], buf, 1, 0)) puts("never");
  else puts("else");
  do {
    async {
      waituntil(r = recv(b[0], buf, 1, 0)) puts("never");
      or waituntil(r = accept(l, NULL, NULL)) puts("never");
      printf("cancelled %d\n", ch_cancelled());
    }
    cancel;
  }
  finish;
}
