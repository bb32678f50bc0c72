// Sees functions.c as old headers did.
int printf(const char *, ...);
int fflush();
int sum();
int sum_by_another_name();
int shared_sum();
int letters(const char *, int, int);
int product(int, ...);
int shared_product(int, ...);
int mixed();
int dprintf(); // of the C library
int main(void) {
  int (*volatile pointer)() = sum;
  int (*volatile other)(const char *, int, int) = letters;
  for (int i = 1; i < 4; i++) {
    printf(" = %d\n", sum(3, i, 20, 300));
    printf(" = %d\n", sum_by_another_name(2, i, 20) + shared_sum(2, i, 20));
    printf(" = %d\n", letters("ab", i, 7));
    printf(" = %d\n", product(i, 5) + shared_product(i, 6));
    printf(" = %d\n", mixed(i, 2.5, "text"));
    printf(" = %d\n", pointer(2, i, 9) + other("c", i, 0));
    fflush(0);
    dprintf(1, "%d %s %g\n", i, "and", i / 2.0);
  }
}
