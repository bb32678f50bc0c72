/* System calls that the runtime makes for itself, by a second name that the C library has for them, or by number. A
 * program that is linked with --wrap=write then sees none of the runtime's messages and wake-ups. What the runtime does
 * for the program's own calls goes by the usual names, because sanitizers and the like are to see it. */
#ifndef CHARCOAL_FRAMES_RUNTIME_CALLS_H
#define CHARCOAL_FRAMES_RUNTIME_CALLS_H

#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

extern ssize_t __write(int fd, const void *, size_t);

static inline ssize_t ch_runtime_write(int fd, const void *bytes, size_t n) { return __write(fd, bytes, n); }
static inline ssize_t ch_runtime_send(int fd, const void *bytes, size_t n, int flags) {
  return syscall(SYS_sendto, fd, bytes, n, flags, NULL, 0); /* glibc has __send not for all processors */
}
/* Sleeps with the thread, while nanosleep lets other activities of the domain go on. */
static inline void ch_runtime_sleep(const struct timespec *duration) { syscall(SYS_nanosleep, duration, NULL); }

#endif
