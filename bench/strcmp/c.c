/* The plain loop. Its cases are the same function, which is measured again beside each case of ours. */
#define YIELD(statement)
#include "program.h"
