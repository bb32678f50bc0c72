/* Whether code is the runtime's own, by its address: a program's function may have any name. */
#ifndef CHARCOAL_REPORT_RUNTIME_CODE_H
#define CHARCOAL_REPORT_RUNTIME_CODE_H

#include "frames/allocator.h"

/* Of an address in a function's code; a return address lies after its call, so subtract one. May be called
 * from a signal handler. */
CH_HIDDEN bool ch_is_runtime_code(uintptr_t address);

/* Where the code begins and ends. runtime_code_begin.c is the first of the files that are linked, and
 * runtime_code_end.c the last, so all others stand in between; cold code has a section of its own. */
CH_HIDDEN void ch_runtime_code_begin(void), ch_runtime_code_end(void);
CH_HIDDEN void ch_runtime_cold_code_begin(void), ch_runtime_cold_code_end(void);

#endif
