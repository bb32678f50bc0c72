/* The end of a program that has no memory for what the runtime cannot do without. */
#ifndef CHARCOAL_FRAMES_OUT_OF_MEMORY_H
#define CHARCOAL_FRAMES_OUT_OF_MEMORY_H

#include "frames/attributes.h"

/* Writes that there is no room for `what`, and what helps; then it ends the program by abort. `what` is a format of
 * printf with its arguments. */
CH_HIDDEN CH_COLD _Noreturn void ch_out_of_memory(const char *what, ...) __attribute__((__format__(__printf__, 1, 2)));

#endif
