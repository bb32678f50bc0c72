/* Measures calls that are all interruptible, calls that are atomic below depth 4 and 8, and calls that are all atomic
 * (paper 001, section 6.3). */
#include <charcoal.h>

#include "program.h"
