/* setfsuid and setfsgid, which change the rights of one thread with files. From the first call on, the threads of the
 * pool have the rights of the thread that gives them work. */
#define _GNU_SOURCE
#include "offload/pool.h"
#include "frames/interposed.h"
#include <sys/syscall.h>
#include <unistd.h>

int setfsuid(uid_t);
int setfsgid(gid_t);

CH_INTERPOSED int setfsuid(uid_t id) {
  ch_pool_follow_ids();
  return (int)syscall(SYS_setfsuid, id);
}
CH_INTERPOSED int setfsgid(gid_t id) {
  ch_pool_follow_ids();
  return (int)syscall(SYS_setfsgid, id);
}
