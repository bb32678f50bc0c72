/* Faults underneath the replacements: faults-beneath.c stands between them and the C library. One call in `rate` has
 * one. */
#ifndef FAULTS_H
#define FAULTS_H

enum {
  SHORT_READS = 1,     /* recv, recvmsg: fewer bytes than there are */
  SHORT_WRITES = 2,    /* send, sendmsg: fewer bytes than there is room for */
  INTERRUPTED = 4,     /* EINTR from recv, send and from the reactor's own system calls */
  AGAIN = 8,           /* EAGAIN although it would work */
  RESET = 16,          /* ECONNRESET from recv */
  NO_DESCRIPTORS = 32, /* EMFILE from accept4, eventfd, signalfd */
  NO_THREADS = 64,     /* pthread_create */
  BUSY = 128,          /* EBUSY from io_uring_enter */
  SLOW = 256,          /* the reactor's system calls take a while */
};
void fault(int kinds, unsigned rate);
unsigned long faults_had(void);

#endif
