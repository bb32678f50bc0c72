/* A slow getenv for the setting that the runtime reads when it prepares its pool of threads. Linked under
 * first_pool.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int preparing; /* the pool is being prepared, or has been */

char *getenv(const char *name) {
  const size_t length = strlen(name);
  if (!strcmp(name, "CHARCOAL_THREADS") && !__atomic_exchange_n(&preparing, 1, __ATOMIC_SEQ_CST)) {
    struct timespec left = {0, 300000000};
    while (syscall(SYS_nanosleep, &left, &left) != 0 && errno == EINTR)
      ;
  }
  for (char **variable = environ; *variable; variable++)
    if (!strncmp(*variable, name, length) && (*variable)[length] == '=')
      return *variable + length + 1;
  return NULL;
}
