/* Whether code is the runtime's own, by its address: a program's function may have any name. */
#ifndef CHARCOAL_REPORT_OWN_CODE_H
#define CHARCOAL_REPORT_OWN_CODE_H

#include "frames/allocator.h"

/* Of an address in a function's code; a return address counts as what is behind it, so take one off. May be called
 * from a signal handler. */
CH_HIDDEN bool ch_is_own_code(uintptr_t address);

/* Where the code begins and ends. own_code_begin.c is the first of the files that are linked, and own_code_end.c the
 * last, so all others stand in between; cold code has a section of its own. */
CH_HIDDEN void ch_own_code_begin(void), ch_own_code_end(void);
CH_HIDDEN void ch_own_cold_code_begin(void), ch_own_cold_code_end(void);

#endif
