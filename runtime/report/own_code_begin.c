/* Where the runtime's own code begins; see own_code.h. */
#include "report/own_code.h"

__attribute__((section(".text"))) void ch_own_code_begin(void) {}
__attribute__((section(".text.unlikely"))) void ch_own_cold_code_begin(void) {}

bool ch_is_own_code(uintptr_t address) {
  return (address >= (uintptr_t)ch_own_code_begin && address < (uintptr_t)ch_own_code_end) ||
         (address >= (uintptr_t)ch_own_cold_code_begin && address < (uintptr_t)ch_own_cold_code_end);
}
