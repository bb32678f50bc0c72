/* Tries each call that may block once, without ever waiting, in plain C.
 *
 * Each returns what the call returns; -1 with EAGAIN means that the plain call would have waited, or, on a descriptor
 * that the user made non-blocking, that it would have said EAGAIN itself: ch_call_timeout tells which. Those that take
 * any descriptor may also return CH_AS_STORAGE and CH_BY_THREAD (operations.h). Trying does not change the descriptor
 * for others, except that connect and accept set O_NONBLOCK for the length of one system call. The folder nonblocking/
 * has a file for each way of not waiting.
 */
#ifndef CHARCOAL_POSIX_NONBLOCKING_H
#define CHARCOAL_POSIX_NONBLOCKING_H

#include "posix/call_limit.h"
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

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
/* For stdio and clauses, which hand nothing to a thread: never CH_BY_THREAD. */
CH_HIDDEN ssize_t ch_nonblocking_stream_readv(int fd, const struct iovec *, int);
CH_HIDDEN ssize_t ch_nonblocking_stream_writev(int fd, const struct iovec *, int);
CH_HIDDEN ssize_t ch_nonblocking_stream_writev_on(int fd, const struct iovec *, int);
/* For the length of the call the listener's mode is non-blocking, if there seems to be somebody to accept. */
CH_HIDDEN int ch_nonblocking_accept(int fd, struct sockaddr *, socklen_t *, int flags);
/* EINPROGRESS: wait until it is writable, then ask ch_connect_outcome; EINPROGRESS, EALREADY: wait again. EAGAIN: a
 * local socket's peer is busy. */
CH_HIDDEN int ch_nonblocking_connect(int fd, const struct sockaddr *, socklen_t);
CH_HIDDEN int ch_connect_outcome(int fd, const struct sockaddr *, socklen_t);
CH_HIDDEN int ch_connect_undo(int fd);
CH_HIDDEN int ch_connect_failed(int fd);
CH_HIDDEN int ch_nonblocking_poll(struct pollfd *, nfds_t);

#endif
