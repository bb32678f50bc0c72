// C++ keeps its own language: no dialect, no second versions; the words are ordinary, the header compiles.
#include <atomic>
#include <charcoal.h>
#include <cstdio>
struct S { int yield = 1, activate = 2; };
static int atomic(int x) { return x + 1; }
template <class T> T max_of(T a, T b) { return a > b ? a : b; }
int main() {
  std::atomic<int> n{3};
  try { if (n == 3) throw 4; } catch (int e) { n = e; }
  S s;
  std::printf("%d %d %d\n", n.load(), atomic(s.yield), max_of(s.activate, 1));
}
