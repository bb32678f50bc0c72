int hook(int x) { return x + 7; }
int other_hook(int x) { return x * 100; }
