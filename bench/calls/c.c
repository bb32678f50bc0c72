/* The same source as charcoal.c with the dialect left out, which makes it plain C. */
#define atomic

#include "program.h"
