#include <stdio.h>
int replaced(int x) {
  puts("the foreign one");
  return -x;
}
