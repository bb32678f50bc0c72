/* A kernel that refuses io_uring, as many containers do. Linked under a program of the check's. */
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

long syscall(long n, ...) {
  va_list v;
  long a[6], r;
  if (n == SYS_io_uring_setup)
    return errno = EPERM, -1;
  va_start(v, n);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(v, long);
  va_end(v);
  register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
  __asm__ volatile("syscall"
                   : "=a"(r)
                   : "a"(n), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return r < 0 && r > -4096 ? (errno = (int)-r, -1) : r;
}
