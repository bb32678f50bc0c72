/* Where the runtime's own code begins; see runtime_code.h. */
#include "report/runtime_code.h"

__attribute__((section(".text"))) void ch_runtime_code_begin(void) {}
__attribute__((section(".text.unlikely"))) void ch_runtime_cold_code_begin(void) {}

bool ch_is_runtime_code(uintptr_t address) {
  return (address >= (uintptr_t)ch_runtime_code_begin && address < (uintptr_t)ch_runtime_code_end) ||
         (address >= (uintptr_t)ch_runtime_cold_code_begin && address < (uintptr_t)ch_runtime_cold_code_end);
}
