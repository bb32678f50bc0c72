typedef int (*callback)(int);
struct pair {
  long a, b;
};
struct big {
  int v[20];
};
int ours_map(callback, int *, int), theirs_map(callback, int *, int), ours_add(int), theirs_add(int);
callback ours_pick(int), theirs_pick(int);
struct pair ours_pair(int), theirs_pair(int);
struct big ours_big(struct big), theirs_big(struct big);
int ours_overridden(int), ours_calls_overridden(int), theirs_deep(callback, int), ours_deep(callback, int);
extern int ours_variable, theirs_variable;
