/* What it costs to yield in the tightest of loops (paper 001, section 6.4). */
#include <charcoal.h>

#define YIELD(statement) statement
#include "program.h"
