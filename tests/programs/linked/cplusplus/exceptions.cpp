// This file has exceptions, so it is plain code, and so is what it calls.
#include "parts.h"
#include <stdexcept>

static int deep(const Animal &animal, int depth) {
  std::string text = animal.sound(1) + twice(depth);
  if (depth == 0)
    throw std::runtime_error(text);
  return deep(animal, depth - 1) + 1;
}

int throws_and_catches(const Animal &animal, int depth) {
  try {
    return deep(animal, depth);
  } catch (const std::exception &thrown) {
    return static_cast<int>(std::string(thrown.what()).size()) + number();
  }
}
