/* Plain C, compiled by gcc -fsplit-stack: each function checks at entry whether its stack segment suffices. */
#define atomic

#include "program.h"
