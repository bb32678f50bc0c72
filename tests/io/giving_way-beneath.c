/* Counts how often a thread gives its processor to others, for giving_way.c. This is plain C that stands between the
 * runtime and the C library. */
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

static _Thread_local int given;
int times_given(void) { return given; }

int sched_yield(void) {
  given++;
  return (int)syscall(SYS_sched_yield);
}
void thrd_yield(void) { sched_yield(); }
