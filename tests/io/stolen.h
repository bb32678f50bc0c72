/* A thief underneath the replacements: stolen-beneath.c stands between them and the C library. */
#ifndef STOLEN_H
#define STOLEN_H

/* Before the next system call that could wait, whoever makes it, `thief` takes what has been announced. */
void steal_before_the_next_call(void (*thief)(void));
/* The same before the ring is entered: then the kernel makes the call. */
void steal_before_the_ring_is_entered(void (*thief)(void));
/* How often; and from now on. */
int has_stolen(void);
void forget_the_theft(void);
/* The kernel knows no RWF_NOWAIT. */
void without_nowait(int is);

#endif
