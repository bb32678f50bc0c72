#include <stdio.h>
int replaced(int, ...), kept(int, ...), by_alias(int, ...), without_dots(int, ...), called_there(int);
int main(void) {
  for (int i = 1; i < 3; i++) {
    printf(" = %d\n", replaced(3, i, 20, 300) + kept(2, i, 4));
    printf(" = %d\n", by_alias(2, i, 50) + without_dots(i, 7));
    printf(" = %d\n", called_there(i));
  }
}
