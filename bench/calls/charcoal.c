/* Paper 001, section 6.3: every call interruptible, atomic below depth 4 and 8, and all atomic. */
#include <charcoal.h>

#include "program.h"
