/* Where the runtime's own code ends; see own_code.h. */
#include "report/own_code.h"

/* Functions that charcoal-cc has compiled have a section each; these come behind them. */
__attribute__((section(".text.ch_own_code_end"))) void ch_own_code_end(void) {}
__attribute__((section(".text.unlikely.ch_own_code_end"))) void ch_own_cold_code_end(void) {}
