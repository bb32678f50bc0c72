/* What the drivers share. A driver is called `driver CASE COUNT SERVER`: it starts the server on a core of its own,
 * reads its port, plays its clients, checks every byte that they get, measures the server from outside, and ends it. So
 * the servers of all systems are measured by one program. */
#ifndef BENCH_DRIVE_H
#define BENCH_DRIVE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "measure.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct server {
  pid_t pid;
  int port;
  clockid_t cpu;
};

static inline void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static inline void on_core(int core) {
  cpu_set_t set;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
    return;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set); /* where it is forbidden, the kernel's choice will do */
}

/* The port that a server says it listens at: the last number of its first line. */
static inline int port_in(const char *line) {
  size_t end = strlen(line);
  while (end > 0 && (line[end - 1] < '0' || line[end - 1] > '9'))
    end--;
  while (end > 0 && line[end - 1] >= '0' && line[end - 1] <= '9')
    end--;
  return atoi(line + end);
}

/* Starts the server on core 0 and leaves the caller on core 1. */
static inline struct server start_server(char **command) {
  struct server server = {0};
  struct rlimit files;
  int out[2];
  char line[100];
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (pipe(out))
    fail("pipe");
  server.pid = fork();
  if (server.pid < 0)
    fail("fork");
  if (server.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    on_core(0);
    dup2(out[1], 1);
    close(out[0]);
    close(out[1]);
    execv(command[0], command);
    fail(command[0]);
  }
  on_core(1);
  close(out[1]);
  FILE *said = fdopen(out[0], "r");
  if (!said || !fgets(line, sizeof line, said) || (server.port = port_in(line)) == 0) {
    fprintf(stderr, "the server does not say its port\n");
    exit(1);
  }
  fclose(said);
  if (clock_getcpuclockid(server.pid, &server.cpu))
    fail("clock_getcpuclockid");
  return server;
}

static inline void end_server(struct server server) {
  int status;
  if (waitpid(server.pid, &status, WNOHANG) != 0) {
    fprintf(stderr, "the server has ended by itself\n");
    exit(1);
  }
  kill(server.pid, SIGKILL);
  waitpid(server.pid, &status, 0);
}

/* CPU time that the server has used so far, in ns, the kernel's work on its behalf included. */
static inline double server_cpu(struct server server) {
  struct timespec t;
  if (clock_gettime(server.cpu, &t))
    fail("clock_gettime");
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The server's resident memory in bytes, without the pages it shares with files. */
static inline double server_memory(struct server server) {
  char path[64];
  long resident, shared;
  snprintf(path, sizeof path, "/proc/%d/statm", (int)server.pid);
  FILE *statm = fopen(path, "r");
  if (!statm || fscanf(statm, "%*d %ld %ld", &resident, &shared) != 2)
    fail(path);
  fclose(statm);
  return (double)(resident - shared) * 4096.0;
}

/* A connection to the server. Its descriptor does not block. */
static inline int connect_to(struct server server) {
  struct sockaddr_in there = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)server.port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  if (fd < 0 || connect(fd, (struct sockaddr *)&there, sizeof there))
    fail("cannot connect to the server");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

static inline int driver_arguments(int argc, char **argv) {
  if (argc == 4)
    return atoi(argv[2]);
  fprintf(stderr, "usage: %s CASE COUNT SERVER\n", argv[0]);
  exit(2);
}

#endif
