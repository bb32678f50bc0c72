/* A kernel that gives a ring to the first thread that asks, and refuses the second one. Linked under
 * first_at_once.c. */
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

int asked;         /* how many have asked for a ring */
int refused_first; /* the second one has its answer first */

/* Whoever asks first waits for the other one, though not for ever, because it may be that nobody else asks. */
long syscall(long n, ...) {
  va_list v;
  long a[6];
  if (n == SYS_io_uring_setup) {
    int before = __atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 100 && __atomic_load_n(&asked, __ATOMIC_SEQ_CST) < 2; i++)
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (before == !refused_first)
      nanosleep(&(struct timespec){0, 100000000}, NULL);
    if (before > 0)
      return errno = ENOMEM, -1;
  }
  va_start(v, n);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(v, long);
  va_end(v);
  long r;
  register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
  __asm__ volatile("syscall"
                   : "=a"(r)
                   : "a"(n), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return r < 0 && r > -4096 ? (errno = (int)-r, -1) : r;
}
