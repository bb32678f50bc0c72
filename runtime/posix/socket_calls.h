/* The C library's calls for sockets as the runtime's servers (runtime/servers, in Charcoal C) make them. A program may
 * have functions of its own that are called connect, listen or send (docs/decisions/names-of-the-c-library.md). */
#ifndef CHARCOAL_POSIX_SOCKET_CALLS_H
#define CHARCOAL_POSIX_SOCKET_CALLS_H

#include "frames/attributes.h"
#include <sys/socket.h>
#include <sys/types.h>

/* The replacements (replacements/connect.c and send.c): they wait as these calls do in recompiled code. */
int ch_socket_connect(int fd, const struct sockaddr *, socklen_t);
int ch_socket_accept(int fd, int flags);
ssize_t ch_socket_send(int fd, const void *from, size_t n, int flags);
int ch_socket_close(int fd);

/* They never wait. */
CH_HIDDEN int ch_socket_bind(int fd, const struct sockaddr *, socklen_t);
CH_HIDDEN int ch_socket_listen(int fd, int most);
CH_HIDDEN int ch_socket_name(int fd, struct sockaddr *, socklen_t *);
/* Sets an option whose value is a number, and which has nothing to do with waiting. */
CH_HIDDEN int ch_socket_set(int fd, int level, int option, int value);

#endif
