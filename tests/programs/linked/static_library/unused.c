int missing_everywhere(int);
int unused(int x) { return missing_everywhere(x); }
