/* Turns addresses of code into functions, files and lines, for reports that are the last thing a program does. */
#ifndef CHARCOAL_REPORT_PLACE_H
#define CHARCOAL_REPORT_PLACE_H

#include "activity/branch.h"

/* Writes "function at file:line" of the call that returns to `place`, as far as it is known. It asks addr2line, which
 * comes with the linker. False: nothing is known. */
CH_HIDDEN bool ch_place_text(const void *place, char *text, size_t room);
/* Writes "file:line" of the instruction at an address as the ELF file `file` has it. May be called by the handler of a
 * fault. False: nothing is known. */
CH_HIDDEN bool ch_place_line(const char *file, uintptr_t address, char *text, size_t room);

#endif
