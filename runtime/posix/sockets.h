/* What the kernel tells of a socket. */
#ifndef CHARCOAL_POSIX_SOCKETS_H
#define CHARCOAL_POSIX_SOCKETS_H

#include "frames/attributes.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* Whether a write that was cut short goes on until all is written: streams and pipes, not datagrams. */
CH_HIDDEN int ch_is_stream(int fd);
/* Whether a call that receives so many bytes waits until SO_RCVLOWAT of them are there. poll does not know that of
 * local streams, and a call that does not wait takes fewer. Costs nothing unless recompiled code has set that option.
 */
extern CH_HIDDEN bool ch_some_have_low_marks;
CH_HIDDEN bool ch_has_low_mark(int fd, int flags);
static inline bool ch_waits_for_mark(int fd, size_t n, int flags) {
  return CH_UNLIKELY(__atomic_load_n(&ch_some_have_low_marks, __ATOMIC_RELAXED)) && n > 1 && ch_has_low_mark(fd, flags);
}
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
/* Whether a call that waits to send may have to look by itself. poll does not tell the writer of a local socket that
 * one of the sides has been shut down for what it sends (SHUT_RD there, SHUT_WR here), upon which the plain call fails.
 * So such a call tries again from time to time (CH_SHUT_LOOK ns). */
#define CH_SHUT_LOOK INT64_C(300000000)
CH_HIDDEN bool ch_may_be_shut(int fd);
/* Such a wait is over before anything was verified that it relies on (readiness_cache.h): asks the kernel for the
 * socket's mode and its limit for sending, so that the next wait knows them. */
CH_HIDDEN void ch_ask_for_limit(int fd);
/* Whether the next byte is the urgent one: there a call ends that has received something. */
CH_HIDDEN bool ch_is_at_mark(int fd);

#endif
