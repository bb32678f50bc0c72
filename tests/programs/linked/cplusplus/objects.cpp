// Objects that know their own address, and destructors that wait.
#include "parts.h"
#include <cstdio>
#include <new>
#include <optional>
#include <variant>

namespace {

struct Self {
  Self *here = this;
  int value;
  explicit Self(int value) : value(value) {}
  Self(const Self &from) : value(from.value) { nap(); }
  ~Self() {
    nap();
    if (here != this)
      std::puts("an object was moved");
  }
};

Self made(int value) {
  Self one(value);
  nap();
  return one;
}
Self one_of(int value, bool first) {
  Self one(value), other(value + 1);
  nap();
  if (first)
    return one;
  return other;
}
int taken(Self by_value) { return nap(), by_value.here == &by_value ? by_value.value : -1; }
const Self &of_temporary(const Self &whole) { return nap(), whole; }

struct Says {
  const char *what;
  ~Says() { nap(), std::printf("-%s ", what); }
};
int leaves(int how) {
  Says outer{"outer"};
  for (int i = 0; i < 2; i++) {
    Says inner{"inner"};
    if (how == 0)
      return nap(), 1;
    if (how == 1)
      continue;
    goto out;
  }
  return 2;
out:
  return 3;
}

} // namespace

void objects() {
  Self one = made(1), other = one_of(2, one.value == 2);
  std::printf("%d %d %d %d\n", one.here == &one, other.here == &other, other.value, taken(made(5)));
  std::printf("%d\n", of_temporary(made(6)).value + taken(one));
  for (int how = 0; how < 3; how++)
    std::printf("%d\n", leaves(how));
  std::variant<int, std::string> either = std::string("short");
  std::optional<Self> maybe(made(8));
  std::printf("%zu %d\n", std::visit([](auto &value) { return nap(), sizeof value; }, either), maybe->here == &*maybe);
  alignas(Self) unsigned char room[sizeof(Self)];
  Self *placed = new (room) Self(9);
  nap();
  std::printf("%d\n", placed->here == placed);
  placed->~Self();
  delete[] new Self[2]{Self(1), Self(2)};
}
