int hook(int x) { return x + 7; }
