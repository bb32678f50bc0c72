/* See multidns.h. The three ways differ in nothing but `activate`, the waits for the activities, and the semaphore.
 *
 * `activate ch_handle(&acts[i]) ch_copy(i)` means `activate [&acts[i]] (i)`; other compilers can leave it out. Compiled
 * by gcc this file is an ordinary sequential program. */
#include "multidns.h"

#include <charcoal.h>
#include <stdio.h>

int verbose;

int multi_getaddrinfo1(const char **nodes, const char **services, const struct addrinfo *hints, struct addrinfo **ress,
                       int n) {
  int num_failed = 0;
  for (int i = 0; i < n; ++i) {
    if (verbose)
      printf("lookup %s\n", nodes[i]);
    if (getaddrinfo(nodes[i], services[i], hints, &ress[i])) {
      ress[i] = NULL;
      ++num_failed;
    }
  }
  return num_failed;
}

int multi_getaddrinfo2(const char **nodes, const char **services, const struct addrinfo *hints, struct addrinfo **ress,
                       int n) {
  int num_failed = 0;
  ch_activity acts[n];
  for (int i = 0; i < n; ++i) {
    activate ch_handle(&acts[i]) ch_copy(i) {
      if (verbose)
        printf("activity %i lookup %s\n", i, nodes[i]);
      if (getaddrinfo(nodes[i], services[i], hints, &ress[i])) {
        ress[i] = NULL;
        ++num_failed;
      }
    }
  }
  for (int i = 0; i < n; ++i)
    ch_activity_wait(&acts[i]);
  return num_failed;
}

int multi_getaddrinfo3(const char **nodes, const char **services, const struct addrinfo *hints, struct addrinfo **ress,
                       int n, int max_conc) {
  int num_failed = 0;
  ch_activity acts[n];
  ch_sem governor;
  ch_sem_init(&governor, max_conc);
  for (int i = 0; i < n; ++i) {
    activate ch_handle(&acts[i]) ch_copy(i) {
      ch_sem_wait(&governor);
      if (verbose)
        printf("activity %i lookup %s\n", i, nodes[i]);
      if (getaddrinfo(nodes[i], services[i], hints, &ress[i])) {
        ress[i] = NULL;
        ++num_failed;
      }
      ch_sem_post(&governor);
    }
  }
  for (int i = 0; i < n; ++i)
    ch_activity_wait(&acts[i]);
  ch_sem_destroy(&governor);
  return num_failed;
}
