/* Tests message queues and semaphores of POSIX and System V, and timed rwlocks: a call that waits suspends its own
 * activity only, and is cancelled exactly. */
#include "harness.h"
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>

static void let_others_run(void) {
  for (int i = 0; i < 60; i++)
    ch_reschedule();
}

/* The call waits, and others run; cancelled, it has done nothing. */
#define IS_CANCELLED(call)                                                                                             \
  do {                                                                                                                 \
    ch_activity waits;                                                                                                 \
    long r = 12345;                                                                                                    \
    int e = 0;                                                                                                         \
    activate[&waits] {                                                                                                 \
      errno = 0;                                                                                                       \
      r = (long)(call);                                                                                                \
      e = errno;                                                                                                       \
    }                                                                                                                  \
    let_others_run();                                                                                                  \
    EXPECT(r == 12345);                                                                                                \
    ch_activity_cancel(&waits);                                                                                        \
    ch_activity_wait(&waits);                                                                                          \
    EXPECT(r == -1 && e == ECANCELED);                                                                                 \
    do {                                                                                                               \
      cancel;                                                                                                          \
      errno = 0;                                                                                                       \
      EXPECT((call) == -1 && errno == ECANCELED);                                                                      \
    }                                                                                                                  \
    finish;                                                                                                            \
  } while (0)

TEST(posix_queues) {
  char name[50], b[64];
  unsigned priority = 0;
  struct mq_attr a = {.mq_maxmsg = 2, .mq_msgsize = 64};
  struct timespec soon;
  snprintf(name, sizeof name, "/charcoal-test-%d", (int)getpid());
  mqd_t q = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &a);
  if (q < 0) {
    fprintf(stderr, "the kernel has no message queues here: %s\n", strerror(errno));
    return;
  }
  mq_unlink(name);
  ch_activity other;
  IS_CANCELLED(mq_receive(q, b, sizeof b, NULL));
  activate[&other] {
    EXPECT(mq_receive(q, b, sizeof b, &priority) == 5 && memcmp(b, "hello", 5) == 0 && priority == 7);
  }
  let_others_run();
  EXPECT(mq_send(q, "hello", 5, 7) == 0);
  ch_activity_wait(&other);
  EXPECT(mq_send(q, "1", 1, 0) == 0 && mq_send(q, "2", 1, 0) == 0);
  IS_CANCELLED(mq_send(q, "3", 1, 0));
  EXPECT(mq_receive(q, b, 3, NULL) == -1 && errno == EMSGSIZE);
  activate[&other] { EXPECT(mq_send(q, "3", 1, 0) == 0); }
  let_others_run();
  for (int i = 1; i <= 3; i++)
    EXPECT(mq_receive(q, b, sizeof b, NULL) == 1 && b[0] == '0' + i);
  ch_activity_wait(&other);
  clock_gettime(CLOCK_REALTIME, &soon);
  activate[&other] { EXPECT(mq_timedreceive(q, b, sizeof b, NULL, &soon) == -1 && errno == ETIMEDOUT); }
  ch_activity_wait(&other);
  soon.tv_nsec = -1;
  activate[&other] { EXPECT(mq_timedreceive(q, b, sizeof b, NULL, &soon) == -1 && errno == EINVAL); }
  ch_activity_wait(&other);
  struct mq_attr nonblocking = {.mq_flags = O_NONBLOCK};
  mq_setattr(q, &nonblocking, NULL);
  EXPECT(mq_receive(q, b, sizeof b, NULL) == -1 && errno == EAGAIN);
}

TEST(system_v_queues) {
  struct {
    long type;
    char text[8];
  } m = {3, "message"};
  int q = msgget(IPC_PRIVATE, 0600);
  EXPECT(q >= 0);
  ch_activity other;
  IS_CANCELLED(msgrcv(q, &m, 8, 0, 0));
  EXPECT(msgrcv(q, &m, 8, 0, IPC_NOWAIT) == -1 && errno == ENOMSG);
  activate[&other] { EXPECT(msgrcv(q, &m, 8, 0, 0) == 8 && m.type == 5); }
  let_others_run();
  m.type = 5;
  EXPECT(msgsnd(q, &m, 8, 0) == 0);
  ch_activity_wait(&other);
  struct msqid_ds ds;
  EXPECT(msgctl(q, IPC_STAT, &ds) == 0);
  ds.msg_qbytes = 16;
  EXPECT(msgctl(q, IPC_SET, &ds) == 0);
  EXPECT(msgsnd(q, &m, 8, 0) == 0 && msgsnd(q, &m, 8, 0) == 0);
  IS_CANCELLED(msgsnd(q, &m, 8, 0));
  EXPECT(msgsnd(q, &m, 8, IPC_NOWAIT) == -1 && errno == EAGAIN);
  EXPECT(msgctl(q, IPC_STAT, &ds) == 0 && ds.msg_qnum == 2);
  msgctl(q, IPC_RMID, NULL);
  EXPECT(msgrcv(q, &m, 8, 0, 0) == -1 && errno == EINVAL);
}

TEST(system_v_semaphores) {
  int s = semget(IPC_PRIVATE, 1, 0600);
  EXPECT(s >= 0);
  struct sembuf take = {0, -1, 0}, give = {0, 1, 0}, try = {0, -1, IPC_NOWAIT};
  struct timespec moment = {0, 1000000};
  ch_activity other;
  int tried = 0;
  IS_CANCELLED(semop(s, &take, 1));
  activate[&other] {
    EXPECT(semop(s, &try, 1) == -1 && errno == EAGAIN);
    EXPECT(semtimedop(s, &take, 1, &moment) == -1 && errno == EAGAIN);
    tried = 1;
    EXPECT(semop(s, &take, 1) == 0);
  }
  while (!tried)
    ch_reschedule();
  let_others_run();
  EXPECT(semop(s, &give, 1) == 0);
  ch_activity_wait(&other);
  EXPECT(semctl(s, 0, GETVAL) == 0);
  semctl(s, 0, IPC_RMID);
}

TEST(timed_rwlocks) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  struct timespec t;
  ch_activity other;
  int others = 0;
  pthread_rwlock_wrlock(&l);
  clock_gettime(CLOCK_REALTIME, &t);
  activate[&other] {
    EXPECT(pthread_rwlock_timedrdlock(&l, &t) == ETIMEDOUT && pthread_rwlock_timedwrlock(&l, &t) == ETIMEDOUT);
    t.tv_sec += 1000;
    others = 1;
    EXPECT(pthread_rwlock_timedwrlock(&l, &t) == 0);
    pthread_rwlock_unlock(&l);
  }
  while (!others)
    ch_reschedule();
  let_others_run();
  pthread_rwlock_unlock(&l);
  ch_activity_wait(&other);
}

TEST(asynchronous_requests) {
  int p[2];
  char got[2][4] = {"", ""};
  EXPECT(pipe(p) == 0);
  struct aiocb first = {.aio_fildes = p[0], .aio_buf = got[0], .aio_nbytes = 1, .aio_lio_opcode = LIO_READ},
               second = {.aio_fildes = p[0], .aio_buf = got[1], .aio_nbytes = 1, .aio_lio_opcode = LIO_READ},
               wrong = {.aio_fildes = -1, .aio_buf = got[1], .aio_nbytes = 1, .aio_lio_opcode = LIO_READ},
               nothing = {.aio_lio_opcode = LIO_NOP};
  struct aiocb *both[] = {&first, NULL, &nothing, &second}, *one[] = {&first}, *failing[] = {&wrong};
  const struct aiocb *waited[] = {&first};
  ch_activity other;
  alarm(60);
  activate[&other] { /* without it nothing comes */
    let_others_run();
    EXPECT(write(p[1], "ab", 2) == 2);
  }
  EXPECT(lio_listio(LIO_WAIT, both, 4, NULL) == 0);
  EXPECT(aio_return(&first) == 1 && aio_return(&second) == 1 && got[0][0] + got[1][0] == 'a' + 'b');
  ch_activity_wait(&other);
  activate[&other] { EXPECT(lio_listio(LIO_WAIT, failing, 1, NULL) == -1 && errno == EIO); }
  ch_activity_wait(&other);
  activate[&other] { EXPECT(lio_listio(LIO_WAIT, one, 1, NULL) == -1 && errno == ECANCELED); }
  let_others_run();
  EXPECT(aio_error(&first) == EINPROGRESS);
  ch_activity_cancel(&other);
  ch_activity_wait(&other);
  do {
    cancel;
    EXPECT(lio_listio(LIO_WAIT, failing, 1, NULL) == -1 && errno == ECANCELED);
  }
  finish;
  EXPECT(write(p[1], "c", 1) == 1);
  while (aio_error(&first) == EINPROGRESS)
    EXPECT(aio_suspend(waited, 1, NULL) == 0);
  EXPECT(aio_return(&first) == 1 && got[0][0] == 'c');
}
