/* The interruptible twins of C library calls. A program refers to them weakly, which pulls nothing out of a static
 * library: ch_main calls this so that they are all there. */
#ifndef CHARCOAL_POSIX_POSIX_H
#define CHARCOAL_POSIX_POSIX_H

__attribute__((visibility("hidden"))) void ch_posix_start(void);

#endif
