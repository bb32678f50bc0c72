/* Where the runtime's own code ends; see runtime_code.h. */
#include "report/runtime_code.h"

/* Functions that charcoal-cc has compiled have a section each; these come behind them. */
__attribute__((section(".text.ch_runtime_code_end"))) void ch_runtime_code_end(void) {}
__attribute__((section(".text.unlikely.ch_runtime_code_end"))) void ch_runtime_cold_code_end(void) {}
