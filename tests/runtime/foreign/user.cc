// Plain C++ that waits in handlers of exceptions.
#include "library.h"
#include <charcoal.h>
#include <cstring>
#include <stdexcept>

// Handles an exception, waits there, and throws it again: 1 if that is the same one.
int cpp_in_catch(const char *what, int ms, int ms_after) {
  try {
    try {
      throw std::runtime_error(what);
    } catch (const std::exception &) {
      ch_sleep(ms * 1000000L);
      throw;
    }
  } catch (const std::exception &e) {
    ch_sleep(ms_after * 1000000L);
    return strcmp(e.what(), what) == 0 && std::current_exception() != nullptr;
  }
}
