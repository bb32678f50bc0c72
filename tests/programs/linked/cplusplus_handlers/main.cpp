// Handlers that use what has changed since the block was entered: a value is in a register where the call has thrown at
// once, and is restored where the call has waited before. Calls beside them throw to the caller.
#include <cstdio>
#include <string>
#include <time.h>

struct Stop {
  int number;
};
struct Adds {
  int *sum, more;
  ~Adds() { *sum += more; }
};

static void nap() {
  const timespec moment{0, 1000};
  nanosleep(&moment, nullptr);
}
__attribute__((noinline)) static int doubled(int x) {
  nap();
  if (x % 3 == 0)
    throw x;
  return x * 2;
}
__attribute__((noinline)) static int next(int x) {
  nap();
  if (x % 5 == 0)
    throw Stop{x};
  return x + 1;
}

__attribute__((noinline)) static int in_a_loop(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    try {
      sum += doubled(i + sum);
      if (sum & 4)
        sum ^= next(i);
    } catch (int thrown) {
      sum += thrown * i + n;
    }
    next(7 * i + 1);
  }
  return sum;
}

__attribute__((noinline)) static int with_destructors(int n) {
  int sum = 0;
  std::string text = "x";
  for (int i = 0; i < n; i++) {
    Adds adds{&sum, i};
    std::string longer = text + "and so much that it lies on the heap";
    try {
      text += char('a' + doubled(i) % 26);
      Adds too{&sum, next(i)};
      sum += doubled(i + 1);
    } catch (int thrown) {
      sum += thrown + static_cast<int>(longer.size());
    } catch (Stop stop) {
      sum ^= stop.number + static_cast<int>(text.size());
    }
  }
  return sum + static_cast<int>(text.size());
}

__attribute__((noinline)) static int after_the_loop(const int *all, int n) {
  const int *at = all;
  int sum = 0;
  try {
    while (at < all + n) {
      sum += doubled(*at++);
      sum += next(*at + sum);
    }
  } catch (int thrown) {
    sum = sum * 7 + thrown + static_cast<int>(at - all);
  }
  return sum;
}

int main() {
  int all[20];
  for (int i = 0; i < 20; i++)
    all[i] = i * 7 % 11 + 1;
  for (int i = 1; i < 40; i++)
    for (int which = 0; which < 3; which++)
      try {
        std::printf("%d ", which == 0   ? in_a_loop(i % 9)
                           : which == 1 ? with_destructors(i % 7)
                                        : after_the_loop(all + i % 10, i % 9));
      } catch (Stop stop) {
        std::printf("stop %d ", stop.number);
      } catch (int thrown) {
        std::printf("thrown %d ", thrown);
      }
  std::puts("");
}
