/* One thread for each client, with a small stack. */
#define _GNU_SOURCE
#include "../common/serve.h"
#include "quote.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static void *serve(void *argument) {
  int client = (int)(long)argument;
  struct quote quote;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (uint64_t number = 0;; number++) {
    make_quote(&quote, number);
    if (send(client, &quote, sizeof quote, MSG_NOSIGNAL) != sizeof quote)
      break;
    next.tv_sec++;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) {
    }
  }
  close(client);
  return NULL;
}

int main(void) {
  int listener = announce(0), client;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 32 << 10);
  pthread_attr_setguardsize(&small, 0);
  pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
  while ((client = accept(listener, NULL, NULL)) >= 0) {
    pthread_t thread;
    no_delay(client);
    if ((errno = pthread_create(&thread, &small, serve, (void *)(long)client)))
      return perror("pthread_create"), 1;
  }
  return perror("accept"), 1;
}
