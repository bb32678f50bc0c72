/* The same source as charcoal.c with the dialect left out: plain C. */
#define atomic

#include "program.h"
