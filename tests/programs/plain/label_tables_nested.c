/* Labels that are reached through tables of tables, structures in a circle, and differences. */
#include <stdio.h>
struct action {
  const char *name;
  void **labels;
};
struct step {
  void *label;
  struct step *next;
};
static int show(int x) {
  printf("%d ", x);
  return x;
}
static int run(const char *code) {
  static void *forwards[] = {&&one, &&ten, &&end}, *backwards[] = {&&ten, &&one, &&end};
  static void **both[] = {forwards, backwards};
  static void ***deep[] = {both};
  static struct action actions[] = {{"forwards", forwards}, {"backwards", backwards}};
  static struct step circle[] = {{&&hundred, &circle[1]}, {&&thousand, &circle[0]}};
  static const int distances[] = {&&one - &&one, &&ten - &&one};
  int sum = 0, turns = 0, side = 0;
  struct step *step = circle;
  goto *deep[0][0][*code - '0'];
one:
  sum += show(1);
  side = !side;
  goto *both[side][*++code - '0'];
ten:
  sum += show(10);
  side = !side;
  if (++turns < 6)
    goto *(step->label);
  goto *actions[side].labels[*++code - '0'];
hundred:
  sum += show(100);
  step = step->next;
  code++;
  goto *(&&one + distances[*code == '2' ? 0 : *code - '0']);
thousand:
  sum += show(1000);
  step = step->next;
  goto *actions[1].labels[*++code - '0'];
end:
  return sum;
}
int main(void) { printf("%d\n", run("0110101010101101012222222")); }
