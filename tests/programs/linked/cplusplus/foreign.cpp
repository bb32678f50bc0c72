// Another compiler's file, with its own copies of the inline functions.
#include "parts.h"

std::string foreign(const Animal &animal) { return animal.sound(2) + twice(number()); }
