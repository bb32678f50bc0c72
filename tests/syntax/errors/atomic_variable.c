#include <charcoal.h>
atomic int counter;
