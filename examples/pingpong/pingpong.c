/* Two processes send messages to and fro. They play many games at the same time, each over a connection of its own.
 *
 *     pingpong [GAMES [ROUNDS]]
 *
 * Both processes are one function with blocking calls. With `async` the next game begins when one waits. Built by
 * another compiler, which leaves `async` out, the games are played one after the other, with the same result. */
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Returns how many messages came back as they had to. */
static long serve(int fd, long rounds) {
  long right = 0;
  for (long i = 0; i < rounds; i++) {
    long ball = i;
    if (write(fd, &ball, sizeof ball) != sizeof ball || read(fd, &ball, sizeof ball) != sizeof ball)
      break;
    right += ball == i + 1;
  }
  return right;
}

static void give_back(int fd, long rounds) {
  long ball;
  for (long i = 0; i < rounds && read(fd, &ball, sizeof ball) == sizeof ball; i++) {
    ball++;
    if (write(fd, &ball, sizeof ball) != sizeof ball)
      break;
  }
}

static long play(int (*ends)[2], int games, long rounds, int side) {
  long right = 0;
  do {
    for (int i = 0; i < games; i++) {
      async {
        int fd = ends[i][side];
        if (side == 0) {
          long mine = serve(fd, rounds);
          right += mine;
        } else {
          give_back(fd, rounds);
        }
      }
    }
  }
  finish;
  return right;
}

int main(int argc, char **argv) {
  int games = argc > 1 ? atoi(argv[1]) : 100;
  long rounds = argc > 2 ? atol(argv[2]) : 1000;
  if (games < 1 || rounds < 1)
    return fprintf(stderr, "usage: pingpong [GAMES [ROUNDS]]\n"), 2;
  int (*ends)[2] = calloc((size_t)games, sizeof *ends);
  if (ends == NULL)
    return 2;
  for (int i = 0; i < games; i++)
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) != 0)
      return perror("pingpong: socketpair"), 2;
  pid_t other = fork();
  if (other < 0)
    return perror("pingpong: fork"), 2;
  for (int i = 0; i < games; i++)
    close(ends[i][other != 0]); /* the other process's end */
  if (other == 0) {
    play(ends, games, rounds, 1);
    _exit(0);
  }
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  long right = play(ends, games, rounds, 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  waitpid(other, NULL, 0);
  double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  printf("right=%ld of %ld; %.2f us a round\n", right, games * rounds, seconds * 1e6 / (double)(games * rounds));
  free(ends);
  return right == games * rounds ? 0 : 1;
}
