/* Plain calls that make or change descriptors, and that tell the readiness cache (reactor/readiness_cache.h) of it:
 * that a number means another file, or that its mode has changed. */
#ifndef CHARCOAL_POSIX_DESCRIPTORS_H
#define CHARCOAL_POSIX_DESCRIPTORS_H

#include "frames/attributes.h"
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>

/* Each takes what the call returned, and returns it. */
CH_HIDDEN int ch_opened(int fd);
CH_HIDDEN int ch_accepted(int listener, int fd, int flags);
/* fcntl's and ioctl's commands that change the mode, or make another number for the description. */
CH_HIDDEN int ch_controlled(int fd, int command, int result);

CH_HIDDEN int ch_plain_socket(int family, int type, int protocol);
CH_HIDDEN int ch_plain_socketpair(int family, int type, int protocol, int fds[2]);
CH_HIDDEN int ch_plain_pipe2(int fds[2], int flags);
CH_HIDDEN int ch_plain_dup(int fd);
CH_HIDDEN int ch_plain_dup2(int fd, int to);
CH_HIDDEN int ch_plain_dup3(int fd, int to, int flags);
CH_HIDDEN int ch_plain_setsockopt(int fd, int level, int option, const void *value, socklen_t);
CH_HIDDEN int ch_plain_ioctl(int fd, unsigned long command, void *argument);
CH_HIDDEN int ch_plain_shutdown(int fd, int how);
CH_HIDDEN int ch_plain_close_range(unsigned first, unsigned last, int flags);
CH_HIDDEN int ch_plain_fclose(FILE *);
/* Whether fclose may wait for the end of a process, because popen has opened the stream. */
CH_HIDDEN bool ch_stream_is_of_command(FILE *);
CH_HIDDEN long ch_call_pclose(void *file);

#endif
