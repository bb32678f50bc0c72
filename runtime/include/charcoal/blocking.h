/* Says which functions block. The warning -Wcharcoal-blocking uses it: it warns where atomic code calls such a function
 * directly, because the call stops the whole thread there.
 *
 *   ch_may_block int my_read(struct device *);     marks a function of the program's own, on its declaration
 *   CH_MAY_BLOCK(read);                            marks all functions of this name with external linkage, and declares
 *                                                  nothing else
 *
 *   ch_never_waits void on_tick(void);             promises the opposite, and the promise is checked. The compiler
 * reports an error if the function waits, or if a function of the same file that it calls does. In modules compiled
 * with -fcharcoal-checks, which is the default without optimization, a wait in it ends the program at run time.
 *
 * The list below has the calls that wait for something outside the program, which may take any time. It has no waits
 * for something inside the program (ch_sem_wait, ch_activity_wait), because in atomic code these let contained
 * activities run. Nor does it have calls that only take as long as a disk needs to find a file, or locks of threads,
 * which are held for moments only. Compilers other than charcoal-cc ignore all this. */
#ifndef CHARCOAL_BLOCKING_H
#define CHARCOAL_BLOCKING_H

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(__CHARCOAL__) && !defined(__cplusplus) && !defined(__OBJC__)
#define ch_may_block __attribute__((__annotate__("charcoal.may_block")))
#define ch_never_waits __attribute__((__annotate__("charcoal.never_waits")))
#define CH_MAY_BLOCK(name) extern const char __charcoal_may_block_##name[]

CH_MAY_BLOCK(ch_sleep);
CH_MAY_BLOCK(ch_fd_wait);
CH_MAY_BLOCK(ch_offload);

CH_MAY_BLOCK(sleep);
CH_MAY_BLOCK(usleep);
CH_MAY_BLOCK(nanosleep);
CH_MAY_BLOCK(clock_nanosleep);
CH_MAY_BLOCK(thrd_sleep);
CH_MAY_BLOCK(pause);
CH_MAY_BLOCK(sigsuspend);
CH_MAY_BLOCK(sigwait);
CH_MAY_BLOCK(sigwaitinfo);
CH_MAY_BLOCK(sigtimedwait);

CH_MAY_BLOCK(read);
CH_MAY_BLOCK(readv);
CH_MAY_BLOCK(pread);
CH_MAY_BLOCK(pread64);
CH_MAY_BLOCK(preadv);
CH_MAY_BLOCK(preadv64);
CH_MAY_BLOCK(preadv2);
CH_MAY_BLOCK(preadv64v2);
CH_MAY_BLOCK(write);
CH_MAY_BLOCK(writev);
CH_MAY_BLOCK(pwrite);
CH_MAY_BLOCK(pwrite64);
CH_MAY_BLOCK(pwritev);
CH_MAY_BLOCK(pwritev64);
CH_MAY_BLOCK(pwritev2);
CH_MAY_BLOCK(pwritev64v2);
CH_MAY_BLOCK(fsync);
CH_MAY_BLOCK(fdatasync);
CH_MAY_BLOCK(sendfile);
CH_MAY_BLOCK(sendfile64);
CH_MAY_BLOCK(splice);
CH_MAY_BLOCK(tee);
CH_MAY_BLOCK(vmsplice);
CH_MAY_BLOCK(copy_file_range);
CH_MAY_BLOCK(flock);
CH_MAY_BLOCK(lockf);
CH_MAY_BLOCK(lockf64);
CH_MAY_BLOCK(tcdrain);
CH_MAY_BLOCK(aio_suspend);
CH_MAY_BLOCK(aio_suspend64);
CH_MAY_BLOCK(lio_listio);
CH_MAY_BLOCK(lio_listio64);

CH_MAY_BLOCK(connect);
CH_MAY_BLOCK(accept);
CH_MAY_BLOCK(accept4);
CH_MAY_BLOCK(recv);
CH_MAY_BLOCK(recvfrom);
CH_MAY_BLOCK(recvmsg);
CH_MAY_BLOCK(recvmmsg);
CH_MAY_BLOCK(send);
CH_MAY_BLOCK(sendto);
CH_MAY_BLOCK(sendmsg);
CH_MAY_BLOCK(sendmmsg);
CH_MAY_BLOCK(eventfd_read);
CH_MAY_BLOCK(eventfd_write);

CH_MAY_BLOCK(poll);
CH_MAY_BLOCK(ppoll);
CH_MAY_BLOCK(select);
CH_MAY_BLOCK(pselect);
CH_MAY_BLOCK(epoll_wait);
CH_MAY_BLOCK(epoll_pwait);
CH_MAY_BLOCK(epoll_pwait2);

CH_MAY_BLOCK(getaddrinfo);
CH_MAY_BLOCK(getnameinfo);
CH_MAY_BLOCK(gethostbyname);
CH_MAY_BLOCK(gethostbyname2);
CH_MAY_BLOCK(gethostbyaddr);
CH_MAY_BLOCK(gethostbyname_r);
CH_MAY_BLOCK(gethostbyname2_r);
CH_MAY_BLOCK(gethostbyaddr_r);

CH_MAY_BLOCK(wait);
CH_MAY_BLOCK(waitpid);
CH_MAY_BLOCK(waitid);
CH_MAY_BLOCK(wait3);
CH_MAY_BLOCK(wait4);
CH_MAY_BLOCK(system);
CH_MAY_BLOCK(pclose);
CH_MAY_BLOCK(getchar);
CH_MAY_BLOCK(scanf);
CH_MAY_BLOCK(vscanf);

CH_MAY_BLOCK(pthread_join);
CH_MAY_BLOCK(pthread_timedjoin_np);
CH_MAY_BLOCK(pthread_clockjoin_np);
CH_MAY_BLOCK(pthread_cond_wait);
CH_MAY_BLOCK(pthread_cond_timedwait);
CH_MAY_BLOCK(pthread_cond_clockwait);
CH_MAY_BLOCK(pthread_barrier_wait);
CH_MAY_BLOCK(sem_wait);
CH_MAY_BLOCK(sem_timedwait);
CH_MAY_BLOCK(sem_clockwait);
CH_MAY_BLOCK(thrd_join);
CH_MAY_BLOCK(cnd_wait);
CH_MAY_BLOCK(cnd_timedwait);

CH_MAY_BLOCK(mq_receive);
CH_MAY_BLOCK(mq_timedreceive);
CH_MAY_BLOCK(mq_send);
CH_MAY_BLOCK(mq_timedsend);
CH_MAY_BLOCK(msgrcv);
CH_MAY_BLOCK(msgsnd);
CH_MAY_BLOCK(semop);
CH_MAY_BLOCK(semtimedop);

#else
#define ch_may_block
#define ch_never_waits
#define CH_MAY_BLOCK(name) struct ch_may_block
#endif

#endif
