/* The plain loop. Its cases are the same function, measured anew beside each of ours. */
#define YIELD(statement)
#include "program.h"
