/* What a peer ends: receiving, accepting, connecting. These follow a try that would have had to wait
 * (nonblocking.h). */
#define _GNU_SOURCE
#include "posix/operations/define.h"
#include <sys/socket.h>

static long perform_recv(const req_t *q) { return or_error(recv(q->fd, (void *)q->a, q->n, 0)); }
static void prepare_recv(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_RECV;
  sqe->ioprio = ch_uring_recv_flags;
  sqe->fd = q->fd;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->len = (uint32_t)q->n;
}
static const struct ch_operation_kind recv_kind = {
    "recv",         perform_recv,      prepare_recv,     .queue = CH_POOL_WAITING,
    .closes = true, .interrupt = true, .receives = true, .relies_on_cache = true};
/* The same for read. By now the number may mean another kind of file, because somebody has closed the socket and used
 * its number again. */
static void prepare_read_any(const req_t *q, sqe_t *sqe) {
  ch_prepare_read(q, sqe);
  sqe->flags = IOSQE_ASYNC; /* without RWF_NOWAIT the kernel, too, asks poll and then reads */
}
static const struct ch_operation_kind read_any_kind = {
    "read", ch_perform_read, prepare_read_any, .queue = CH_POOL_WAITING, .closes = true, .interrupt = true};
static const struct ch_operation_kind receive_kind = {"read",
                                                      ch_perform_read,
                                                      prepare_recv,
                                                      .queue = CH_POOL_WAITING,
                                                      .closes = true,
                                                      .interrupt = true,
                                                      .receives = true,
                                                      .relies_on_cache = true,
                                                      .otherwise = &read_any_kind};
static long perform_accept(const req_t *q) {
  return or_error(accept4(q->fd, (struct sockaddr *)q->a, (socklen_t *)q->b, (int)q->flags));
}
static void prepare_accept(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_ACCEPT;
  sqe->fd = q->fd;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->addr2 = (uint64_t)(uintptr_t)q->b;
  sqe->accept_flags = q->flags;
}
static const struct ch_operation_kind accept_kind = {
    "accept",       perform_accept,    prepare_accept,         .queue = CH_POOL_WAITING,
    .closes = true, .interrupt = true, .relies_on_cache = true};
static const struct ch_operation_kind accept_by_thread_kind = {
    "accept", perform_accept, NULL, .queue = CH_POOL_WAITING, .closes = true, .interrupt = true};
static long perform_connect(const req_t *q) { return or_error(connect(q->fd, q->a, (socklen_t)q->n)); }
static void prepare_connect(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_CONNECT;
  sqe->fd = q->fd;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->off = q->n;
}
static const struct ch_operation_kind connect_kind = {
    "connect", perform_connect, prepare_connect, .queue = CH_POOL_WAITING, .closes = true, .interrupt = true};
/* For local datagrams, whose receiver may have no room although the socket has: no event tells when that changes, so
 * the call itself waits, on a thread. */
static long perform_sendmsg(const req_t *q) { return or_error(sendmsg(q->fd, q->a, (int)q->flags)); }
static const struct ch_operation_kind sendmsg_kind = {"sendmsg", perform_sendmsg, NULL, .queue = CH_POOL_WAITING,
                                                      .interrupt = true};
static long perform_recvmsg(const req_t *q) { return or_error(recvmsg(q->fd, (struct msghdr *)q->a, (int)q->flags)); }
static const struct ch_operation_kind recvmsg_kind = {"recvmsg",      perform_recvmsg,  NULL, .queue = CH_POOL_WAITING,
                                                      .closes = true, .interrupt = true};

/* clang-format off */
WAIT("recv", recv, (int fd, void *to, size_t n), .fd = fd, .a = to, .n = n)
WAIT("read", receive, (int fd, void *to, size_t n), .fd = fd, .a = to, .n = n, .offset = -1)
WAIT("accept", accept, (int fd, struct sockaddr *address, socklen_t *length, int flags),
     .fd = fd, .a = address, .b = length, .flags = (unsigned)flags)
WAIT("accept", accept_by_thread, (int fd, struct sockaddr *address, socklen_t *length, int flags),
     .fd = fd, .a = address, .b = length, .flags = (unsigned)flags)
WAIT("connect", connect, (int fd, const struct sockaddr *address, socklen_t length),
     .fd = fd, .a = address, .n = length)
WAIT("sendmsg", sendmsg, (int fd, const struct msghdr *m, int flags), .fd = fd, .a = m, .flags = (unsigned)flags)
WAIT("recvmsg", recvmsg, (int fd, struct msghdr *m, int flags), .fd = fd, .a = m, .flags = (unsigned)flags)
/* clang-format on */
