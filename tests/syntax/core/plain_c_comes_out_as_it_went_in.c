struct s { int yield, atomic : 3; } x = { 1, 2 };
int (*table[])(int) = { f, g };
static int k(a, b) int a; char *b; { do a--; while (a > 0); for (;;) { if (a) break; else continue; } return a ? b[0] : sizeof(struct s); }
enum { red, green };
int h(int n) { switch (n) { case 1: case 2: return n; default: goto out; } out: return ({ int t = n; t; }); }
