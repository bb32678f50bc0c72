/* A clock underneath the replacements that can be set: times-beneath.c stands between them and the C library. */
#ifndef TIMES_H
#define TIMES_H

#include <stdint.h>

/* Sets CLOCK_REALTIME as all see it, so many ns on (or back). Who watches it hears of it. */
void set_the_clock_on(int64_t ns);
/* No descriptor to watch a clock with. */
void without_clock_watches(int is);
/* How many are watched with now. */
int clock_watches(void);

#endif
