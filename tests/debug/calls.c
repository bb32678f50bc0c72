/* Activities that wait in calls of the C library. Each is named after its call, and the program writes its dump. */
#define _GNU_SOURCE
#include <charcoal.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAITS_IN(call, ...)                                                                                            \
  activate {                                                                                                           \
    ch_set_name(#call);                                                                                                \
    __VA_ARGS__;                                                                                                       \
    printf("%s has ended\n", #call);                                                                                   \
  }

static FILE *empty(const char *mode) {
  int ends[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  return fdopen(ends[0], mode);
}
static FILE *full(void) {
  FILE *f = empty("w");
  char page[4096] = "";
  while (send(fileno(f), page, sizeof page, MSG_DONTWAIT) > 0)
    ;
  setvbuf(f, NULL, _IONBF, 0);
  return f;
}

int main(void) {
  static char bytes[1 << 16];
  char *line = NULL;
  size_t size = 0;
  struct iovec v = {bytes, 10};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  struct mmsghdr mm = {.msg_hdr = m};
  sigset_t usr1;
  fd_set in;
  int n, listener = socket(AF_UNIX, SOCK_STREAM, 0), e = epoll_create1(0), idle = fileno(empty("r")),
         taken = fileno(full());
  struct pollfd one = {idle, POLLIN};
  struct epoll_event event;
  struct timespec limit = {1000, 0};
  struct timeval limit2 = {1000, 0};
  bind(listener, (struct sockaddr *)&(struct sockaddr_un){.sun_family = AF_UNIX}, sizeof(sa_family_t));
  listen(listener, 1);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, NULL);
  FD_ZERO(&in);
  FD_SET(idle, &in);
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // also if a debugger ends the program
    pause();
    _exit(0);
  }
  WAITS_IN(read, read(idle, bytes, 1))
  WAITS_IN(waituntil, waituntil(read(idle, bytes, 1)) {} or waituntil(ch_sleep(CH_FOREVER)){})
  WAITS_IN(readv, readv(idle, &v, 1))
  WAITS_IN(recv, recv(idle, bytes, 1, 0))
  WAITS_IN(recvfrom, recvfrom(idle, bytes, 1, 0, NULL, NULL))
  WAITS_IN(recvmsg, recvmsg(idle, &m, 0))
  WAITS_IN(recvmmsg, recvmmsg(idle, &mm, 1, 0, NULL))
  WAITS_IN(write, write(taken, bytes, sizeof bytes))
  WAITS_IN(writev, writev(taken, &v, 1))
  WAITS_IN(send, send(taken, bytes, 1, 0))
  WAITS_IN(sendto, sendto(taken, bytes, 1, 0, NULL, 0))
  WAITS_IN(sendmsg, sendmsg(taken, &m, 0))
  WAITS_IN(sendmmsg, sendmmsg(taken, &mm, 1, 0))
  WAITS_IN(accept, accept(listener, NULL, NULL))
  WAITS_IN(accept4, accept4(listener, NULL, NULL, 0))
  WAITS_IN(poll, poll(&one, 1, -1))
  WAITS_IN(ppoll, ppoll(&one, 1, &limit, NULL))
  WAITS_IN(select, fd_set s = in; select(idle + 1, &s, NULL, NULL, &limit2))
  WAITS_IN(pselect, fd_set s = in; pselect(idle + 1, &s, NULL, NULL, NULL, NULL))
  WAITS_IN(epoll_wait, epoll_wait(e, &event, 1, -1))
  WAITS_IN(epoll_pwait, epoll_pwait(e, &event, 1, -1, NULL))
  WAITS_IN(fgets, fgets(bytes, 100, empty("r")))
  WAITS_IN(getline, getline(&line, &size, empty("r")))
  WAITS_IN(getdelim, getdelim(&line, &size, ',', empty("r")))
  WAITS_IN(fgetc, fgetc(empty("r")))
  WAITS_IN(fread, fread(bytes, 1, 100, empty("r")))
  WAITS_IN(fscanf, fscanf(empty("r"), "%d", &n))
  WAITS_IN(fwrite, fwrite(bytes, 1, sizeof bytes, full()))
  WAITS_IN(fputs, fputs("hello", full()))
  WAITS_IN(fputc, fputc('a', full()))
  WAITS_IN(fprintf, fprintf(full(), "%d", 1))
  WAITS_IN(dprintf, dprintf(taken, "%d", 1))
  WAITS_IN(waitpid, waitpid(child, &n, 0))
  WAITS_IN(wait4, wait4(child, &n, 0, NULL))
  WAITS_IN(waitid, siginfo_t i; waitid(P_PID, (id_t)child, &i, WEXITED))
  WAITS_IN(sigwait, sigwait(&usr1, &n))
  WAITS_IN(sigwaitinfo, sigwaitinfo(&usr1, NULL))
  WAITS_IN(sigtimedwait, sigtimedwait(&usr1, NULL, &limit))
  WAITS_IN(pause, pause())
  WAITS_IN(sigsuspend, sigset_t none; sigemptyset(&none); sigsuspend(&none))
  ch_sleep(50000000);
  fflush(stdout);
  ch_dump(1);
  kill(child, SIGKILL);
  _exit(0);
}
