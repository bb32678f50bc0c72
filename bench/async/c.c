/* The same source as charcoal.c with the dialect left out: each `async` is a plain call. */
#define async
#define finish while (0)
#define block()
#define unblock()

#include "program.h"
