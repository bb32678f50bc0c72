/* Paper 001, section 6.4: the price of yielding in the tightest of loops. */
#include <charcoal.h>

#define YIELD(statement) statement
#include "program.h"
