// What the files of this program share: each of them has its own copies, of which the linker keeps one.
#pragma once
#include <string>
#include <time.h>

inline void nap() {
  const timespec moment{0, 1000};
  nanosleep(&moment, nullptr);
}

template <class T> std::string twice(T value) {
  std::string text = std::to_string(value);
  nap();
  return text + "|" + text;
}

inline int number() {
  static int next = [] {
    nap();
    return 10;
  }();
  nap();
  return next++;
}

struct Animal {
  virtual std::string sound(int times) const {
    std::string all;
    for (int i = 0; i < times; i++, nap())
      all += name();
    return all;
  }
  virtual const char *name() const = 0;
  virtual ~Animal() = default;
};

void objects();
int throws_and_catches(const Animal &animal, int depth);
std::string foreign(const Animal &animal);
