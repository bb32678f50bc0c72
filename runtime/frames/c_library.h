/* The C library's functions that the runtime calls on its own account.
 *
 * A program may define a function or variable of its own with the name of any function that ISO C does not have, such
 * as `read`, `connect` or `open`, and with another meaning. The C library does not call itself by these names, and
 * neither may the runtime: the linker would bind its calls to what the program defines. So each call goes through a
 * pointer in `ch_c_library`. The pointers have the addresses that the linker and the loader found for the names; before
 * any constructor of the program runs, those that lie in the executable are replaced by the next definition of the name
 * (c_library.c). A library that is preloaded is asked as before.
 *
 * Each C file of the runtime includes this header first (runtime/CMakeLists.txt), so it includes all headers that
 * declare these functions. The replacements in Charcoal C do not: they call the ch_plain_ functions.
 *
 * Left out are what ISO C has, whose names no program may define; the functions of threads (pthread_), of signal sets
 * and of the dynamic linker; functions that are called only if the program has called them by their name; and some
 * that tests/io/c_library_names lists, with the reasons. That test finds what is missing here. A macro stands for a
 * call only: where a function's address is taken, the pointer is named. */
#ifndef CHARCOAL_FRAMES_C_LIBRARY_H
#define CHARCOAL_FRAMES_C_LIBRARY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "frames/attributes.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
#define CH_C_LIBRARY_CALLS(X) \
  X(accept4) X(clock_getres) X(clock_gettime) X(closedir) X(connect) X(dprintf) X(dup) X(epoll_create1) \
  X(epoll_ctl) X(epoll_pwait) X(epoll_pwait2) X(epoll_wait) X(eventfd) X(fcntl) X(fdopen) X(fileno) X(fstat) \
  X(fstatat) X(ftrylockfile) X(funlockfile) X(getpeername) X(getpgrp) X(getpid) X(getrandom) X(getrlimit) \
  X(getsockopt) X(gettid) X(inet_pton) X(ioctl) X(lseek) X(madvise) X(memrchr) X(mincore) X(mkdirat) X(mmap) \
  X(mprotect) X(munmap) X(open) X(openat) X(opendir) X(pause) X(pipe2) X(poll) X(posix_spawn) \
  X(posix_spawnattr_destroy) X(posix_spawnattr_init) X(posix_spawnattr_setflags) X(posix_spawnattr_setsigdefault) \
  X(posix_spawnattr_setsigmask) X(ppoll) X(preadv2) X(process_vm_readv) X(pwritev2) X(read) X(readdir) X(readlink) \
  X(readv) X(recv) X(recvfrom) X(recvmsg) X(renameat) X(renameat2) X(sched_getaffinity) X(sched_yield) X(send) \
  X(sendmsg) X(sendto) X(sigaction) X(signalfd) X(sigpending) X(socket) X(stat) X(stpcpy) X(strchrnul) X(strdup) \
  X(strncasecmp) X(strndup) X(strsep) X(strtok_r) X(syscall) X(sysconf) X(tcgetpgrp) X(tgkill) X(timerfd_create) \
  X(timerfd_settime) X(unlinkat) X(write) X(writev)

/* Those that the runtime interposes, too: instead of a function of the program it calls its own definition. */
#define CH_INTERPOSED_CALLS(X) X(close) X(dup2) X(dup3) X(wait4) X(waitid) X(waitpid)

struct ch_c_library {
#define CH_POINTER(name) __typeof__(name) *name;
  CH_C_LIBRARY_CALLS(CH_POINTER)
  CH_INTERPOSED_CALLS(CH_POINTER)
#undef CH_POINTER
};
/* clang-format on */

CH_HIDDEN extern struct ch_c_library ch_c_library;

/* The runtime's own definition, under a name that no program has. Stands behind the definition. */
#define CH_INTERPOSED_CALL(name) CH_HIDDEN extern __typeof__(name) ch_interposed_##name __attribute__((alias(#name)))

#define accept4(...) ch_c_library.accept4(__VA_ARGS__)
#define clock_getres(...) ch_c_library.clock_getres(__VA_ARGS__)
#define clock_gettime(...) ch_c_library.clock_gettime(__VA_ARGS__)
#define close(...) ch_c_library.close(__VA_ARGS__)
#define closedir(...) ch_c_library.closedir(__VA_ARGS__)
#define connect(...) ch_c_library.connect(__VA_ARGS__)
#define dprintf(...) ch_c_library.dprintf(__VA_ARGS__)
#define dup(...) ch_c_library.dup(__VA_ARGS__)
#define dup2(...) ch_c_library.dup2(__VA_ARGS__)
#define dup3(...) ch_c_library.dup3(__VA_ARGS__)
#define epoll_create1(...) ch_c_library.epoll_create1(__VA_ARGS__)
#define epoll_ctl(...) ch_c_library.epoll_ctl(__VA_ARGS__)
#define epoll_pwait(...) ch_c_library.epoll_pwait(__VA_ARGS__)
#define epoll_pwait2(...) ch_c_library.epoll_pwait2(__VA_ARGS__)
#define epoll_wait(...) ch_c_library.epoll_wait(__VA_ARGS__)
#define eventfd(...) ch_c_library.eventfd(__VA_ARGS__)
#define fcntl(...) ch_c_library.fcntl(__VA_ARGS__)
#define fdopen(...) ch_c_library.fdopen(__VA_ARGS__)
#define fileno(...) ch_c_library.fileno(__VA_ARGS__)
#define fstat(...) ch_c_library.fstat(__VA_ARGS__)
#define fstatat(...) ch_c_library.fstatat(__VA_ARGS__)
#define ftrylockfile(...) ch_c_library.ftrylockfile(__VA_ARGS__)
#define funlockfile(...) ch_c_library.funlockfile(__VA_ARGS__)
#define getpeername(...) ch_c_library.getpeername(__VA_ARGS__)
#define getpgrp(...) ch_c_library.getpgrp(__VA_ARGS__)
#define getpid(...) ch_c_library.getpid(__VA_ARGS__)
#define getrandom(...) ch_c_library.getrandom(__VA_ARGS__)
#define getrlimit(...) ch_c_library.getrlimit(__VA_ARGS__)
#define getsockopt(...) ch_c_library.getsockopt(__VA_ARGS__)
#define gettid(...) ch_c_library.gettid(__VA_ARGS__)
#define inet_pton(...) ch_c_library.inet_pton(__VA_ARGS__)
#define ioctl(...) ch_c_library.ioctl(__VA_ARGS__)
#define lseek(...) ch_c_library.lseek(__VA_ARGS__)
#define madvise(...) ch_c_library.madvise(__VA_ARGS__)
#define memrchr(...) ch_c_library.memrchr(__VA_ARGS__)
#define mincore(...) ch_c_library.mincore(__VA_ARGS__)
#define mkdirat(...) ch_c_library.mkdirat(__VA_ARGS__)
#define mmap(...) ch_c_library.mmap(__VA_ARGS__)
#define mprotect(...) ch_c_library.mprotect(__VA_ARGS__)
#define munmap(...) ch_c_library.munmap(__VA_ARGS__)
#define open(...) ch_c_library.open(__VA_ARGS__)
#define openat(...) ch_c_library.openat(__VA_ARGS__)
#define opendir(...) ch_c_library.opendir(__VA_ARGS__)
#define pause(...) ch_c_library.pause(__VA_ARGS__)
#define pipe2(...) ch_c_library.pipe2(__VA_ARGS__)
#define poll(...) ch_c_library.poll(__VA_ARGS__)
#define posix_spawn(...) ch_c_library.posix_spawn(__VA_ARGS__)
#define posix_spawnattr_destroy(...) ch_c_library.posix_spawnattr_destroy(__VA_ARGS__)
#define posix_spawnattr_init(...) ch_c_library.posix_spawnattr_init(__VA_ARGS__)
#define posix_spawnattr_setflags(...) ch_c_library.posix_spawnattr_setflags(__VA_ARGS__)
#define posix_spawnattr_setsigdefault(...) ch_c_library.posix_spawnattr_setsigdefault(__VA_ARGS__)
#define posix_spawnattr_setsigmask(...) ch_c_library.posix_spawnattr_setsigmask(__VA_ARGS__)
#define ppoll(...) ch_c_library.ppoll(__VA_ARGS__)
#define preadv2(...) ch_c_library.preadv2(__VA_ARGS__)
#define process_vm_readv(...) ch_c_library.process_vm_readv(__VA_ARGS__)
#define pwritev2(...) ch_c_library.pwritev2(__VA_ARGS__)
#define read(...) ch_c_library.read(__VA_ARGS__)
#define readdir(...) ch_c_library.readdir(__VA_ARGS__)
#define readlink(...) ch_c_library.readlink(__VA_ARGS__)
#define readv(...) ch_c_library.readv(__VA_ARGS__)
#define recv(...) ch_c_library.recv(__VA_ARGS__)
#define recvfrom(...) ch_c_library.recvfrom(__VA_ARGS__)
#define recvmsg(...) ch_c_library.recvmsg(__VA_ARGS__)
#define renameat(...) ch_c_library.renameat(__VA_ARGS__)
#define renameat2(...) ch_c_library.renameat2(__VA_ARGS__)
#define sched_getaffinity(...) ch_c_library.sched_getaffinity(__VA_ARGS__)
#define sched_yield(...) ch_c_library.sched_yield(__VA_ARGS__)
#define send(...) ch_c_library.send(__VA_ARGS__)
#define sendmsg(...) ch_c_library.sendmsg(__VA_ARGS__)
#define sendto(...) ch_c_library.sendto(__VA_ARGS__)
#define sigaction(...) ch_c_library.sigaction(__VA_ARGS__)
#define signalfd(...) ch_c_library.signalfd(__VA_ARGS__)
#define sigpending(...) ch_c_library.sigpending(__VA_ARGS__)
#define socket(...) ch_c_library.socket(__VA_ARGS__)
#define stat(...) ch_c_library.stat(__VA_ARGS__)
#define stpcpy(...) ch_c_library.stpcpy(__VA_ARGS__)
#define strchrnul(...) ch_c_library.strchrnul(__VA_ARGS__)
#define strdup(...) ch_c_library.strdup(__VA_ARGS__)
#define strncasecmp(...) ch_c_library.strncasecmp(__VA_ARGS__)
#define strndup(...) ch_c_library.strndup(__VA_ARGS__)
#define strsep(...) ch_c_library.strsep(__VA_ARGS__)
#define strtok_r(...) ch_c_library.strtok_r(__VA_ARGS__)
#define syscall(...) ch_c_library.syscall(__VA_ARGS__)
#define sysconf(...) ch_c_library.sysconf(__VA_ARGS__)
#define tcgetpgrp(...) ch_c_library.tcgetpgrp(__VA_ARGS__)
#define tgkill(...) ch_c_library.tgkill(__VA_ARGS__)
#define timerfd_create(...) ch_c_library.timerfd_create(__VA_ARGS__)
#define timerfd_settime(...) ch_c_library.timerfd_settime(__VA_ARGS__)
#define unlinkat(...) ch_c_library.unlinkat(__VA_ARGS__)
#define wait4(...) ch_c_library.wait4(__VA_ARGS__)
#define waitid(...) ch_c_library.waitid(__VA_ARGS__)
#define waitpid(...) ch_c_library.waitpid(__VA_ARGS__)
#define write(...) ch_c_library.write(__VA_ARGS__)
#define writev(...) ch_c_library.writev(__VA_ARGS__)
#endif
