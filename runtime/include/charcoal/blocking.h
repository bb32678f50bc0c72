/* Which functions block: for -Wcharcoal-blocking, which warns where atomic code calls one of them directly, for there
 * it stops the whole thread.
 *
 *   ch_may_block int my_read(struct device *);     says so of a function of one's own, on its declaration
 *   CH_MAY_BLOCK(read);                            says so of a function by its name, and declares nothing else; it
 *                                                  concerns the functions of that name with external linkage
 *
 * Waits for something inside the program (ch_sem_wait, ch_activity_wait) are not in the list: in atomic code they let
 * contained activities run. Compilers other than charcoal-cc see nothing of this. */
#ifndef CHARCOAL_BLOCKING_H
#define CHARCOAL_BLOCKING_H

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(__CHARCOAL__) && !defined(__cplusplus) && !defined(__OBJC__)
#define ch_may_block __attribute__((__annotate__("charcoal.may_block")))
#define CH_MAY_BLOCK(name) extern const char __charcoal_may_block_##name[]

CH_MAY_BLOCK(ch_sleep);
CH_MAY_BLOCK(ch_fd_wait);
CH_MAY_BLOCK(ch_offload);

CH_MAY_BLOCK(read);
CH_MAY_BLOCK(usleep);
CH_MAY_BLOCK(getaddrinfo);

#else
#define ch_may_block
#define CH_MAY_BLOCK(name) struct ch_may_block
#endif

#endif
