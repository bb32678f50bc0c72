// With exceptions, so this is plain code.
#include "variables.h"

int asks_in_plain_code(int from) { return around(from).value; }
