#include "posix/posix.h"

void ch_posix_start(void) {}
