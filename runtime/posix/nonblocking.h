/* Tries each call that may block once, without ever waiting, in plain C.
 *
 * Each returns what the call returns; -1 with EAGAIN means that the plain call would have waited, or, on a descriptor
 * that the user made non-blocking, that it would have said EAGAIN itself: ch_call_timeout tells which. Those that take
 * any descriptor may also return CH_AS_STORAGE and CH_BY_THREAD (operations.h). Trying does not change the descriptor
 * for others, except that connect and accept set O_NONBLOCK for the length of one system call.
 */
#ifndef CHARCOAL_POSIX_NONBLOCKING_H
#define CHARCOAL_POSIX_NONBLOCKING_H

#include "frames/attributes.h"
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

CH_HIDDEN ssize_t ch_nonblocking_recv(int fd, void *, size_t, int flags);
CH_HIDDEN ssize_t ch_nonblocking_recvfrom(int fd, void *, size_t, int flags, struct sockaddr *, socklen_t *);
CH_HIDDEN ssize_t ch_nonblocking_recvmsg(int fd, struct msghdr *, int flags);
/* What recvmmsg reports before its first message: that it is no socket, or an error of the socket. 0 if nothing. */
struct mmsghdr;
CH_HIDDEN int ch_begin_recvmmsg(int fd, struct mmsghdr *, int flags);
/* What a call that receives nothing leaves in its message. */
CH_HIDDEN void ch_message_of_nothing(struct msghdr *);
CH_HIDDEN ssize_t ch_nonblocking_send(int fd, const void *, size_t, int flags);
CH_HIDDEN ssize_t ch_nonblocking_sendto(int fd, const void *, size_t, int flags, const struct sockaddr *, socklen_t);
CH_HIDDEN ssize_t ch_nonblocking_sendmsg(int fd, const struct msghdr *, int flags);
CH_HIDDEN ssize_t ch_nonblocking_read(int fd, void *, size_t);
CH_HIDDEN ssize_t ch_nonblocking_readv(int fd, const struct iovec *, int);
CH_HIDDEN ssize_t ch_nonblocking_write(int fd, const void *, size_t);
CH_HIDDEN ssize_t ch_nonblocking_writev(int fd, const struct iovec *, int);
/* The same for a call that has waited, and has sent a part before or waited for a local socket: then EPIPE comes
 * without SIGPIPE from a socket. */
CH_HIDDEN ssize_t ch_nonblocking_write_on(int fd, const void *, size_t);
CH_HIDDEN ssize_t ch_nonblocking_writev_on(int fd, const struct iovec *, int);
/* For stdio, which hands nothing to a thread: never CH_BY_THREAD. */
CH_HIDDEN ssize_t ch_nonblocking_stream_readv(int fd, const struct iovec *, int);
CH_HIDDEN ssize_t ch_nonblocking_stream_writev(int fd, const struct iovec *, int);
/* For the length of the call the listener's mode is non-blocking, if there seems to be somebody to accept. */
CH_HIDDEN int ch_nonblocking_accept(int fd, struct sockaddr *, socklen_t *, int flags);
/* EINPROGRESS: wait until it is writable, then ask ch_connect_outcome; EINPROGRESS, EALREADY: wait again. EAGAIN: a
 * local socket's peer is busy. */
CH_HIDDEN int ch_nonblocking_connect(int fd, const struct sockaddr *, socklen_t);
CH_HIDDEN int ch_connect_outcome(int fd, const struct sockaddr *, socklen_t);
CH_HIDDEN int ch_connect_undo(int fd);
CH_HIDDEN int ch_connect_failed(int fd);
CH_HIDDEN int ch_nonblocking_poll(struct pollfd *, nfds_t);
CH_HIDDEN int ch_plain_poll_chk(struct pollfd *, nfds_t, int timeout, size_t room);
CH_HIDDEN int ch_plain_close(int fd);
CH_HIDDEN int ch_plain_clock_nanosleep(clockid_t, int flags, const struct timespec *, struct timespec *left);

/* How long the plain call would wait on this descriptor, in ns: for ever (CH_FOREVER), for the socket's timeout
 * (`option`: SO_RCVTIMEO or SO_SNDTIMEO), or not at all (-1: the user made it
 * non-blocking or has set a negative timeout, or it is a regular file). */
CH_HIDDEN int64_t ch_call_timeout(int fd, int option);
/* The same for a call that has waited under such a limit since then (0: it has not): what is left of it, and since when
 * it counts. The limit is one for all of a call's waits, but for each part that is sent into a local socket. */
struct ch_call_limit {
  int64_t left, since;
};
CH_HIDDEN struct ch_call_limit ch_call_limit(int fd, int option, int64_t since);
/* Whether a write that was cut short goes on until all is written: streams and pipes, not datagrams. */
CH_HIDDEN int ch_is_stream(int fd);
/* Whether a local stream's part of a message, received with so much room for control data, had descriptors with it: a
 * call with MSG_WAITALL ends there. */
CH_HIDDEN int ch_has_descriptors(int fd, const struct msghdr *, size_t room);
/* Whether a local stream tells who has sent what is received from it (SO_PASSCRED). Then a call with MSG_WAITALL also
 * ends where another sender's part begins. */
CH_HIDDEN bool ch_tells_senders(int fd);
/* The room for control data that this takes, and leaves none for descriptors. */
#define CH_SENDER_ROOM CMSG_SPACE(3 * sizeof(int))
/* Whether the next part is of another sender than the first one; -1 with EAGAIN: it has not come yet. */
CH_HIDDEN int ch_is_of_another(int fd, const struct msghdr *first);
/* Whether it is a socket of another domain than AF_UNIX. A call that has transferred a part leaves the socket's error
 * to the next call, while a local socket loses it; and with MSG_ERRQUEUE, which local sockets ignore, no call waits. */
CH_HIDDEN bool ch_is_of_network(int fd);
/* The error that a socket has to tell, which it then forgets; 0: there is none, or it is no socket. */
CH_HIDDEN int ch_take_error(int fd);
/* Whether the next byte is the urgent one: there a call ends that has received something. */
CH_HIDDEN bool ch_is_at_mark(int fd);
CH_HIDDEN int ch_is_timed_tcp(int fd); /* and its calls wait, for as long as SO_RCVTIMEO says */
/* A copy of n vectors without their first `skip` bytes; *left: how many. NULL with ENOMEM. To be freed. */
CH_HIDDEN struct iovec *ch_iovec_rest(const struct iovec *, size_t n, size_t skip, size_t *left);
CH_HIDDEN size_t ch_iovec_bytes(const struct iovec *, size_t n); /* 0 if there are no vectors (NULL) */

#endif
