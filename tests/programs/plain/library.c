/* The C library in use: strings, formatted output and input, memory streams, time, sorting, environment. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static int words(char *s) {
  int n = 0;
  char *save;
  for (char *w = strtok_r(s, " ,.", &save); w; w = strtok_r(0, " ,.", &save)) {
    n += (int)strlen(w) * t(++n);
  }
  return n;
}
NI static char *reverse(char *s) {
  for (size_t i = 0, j = strlen(s); i + 1 < j; i++) {
    char c = s[i];
    s[i] = s[--j];
    s[j] = c;
    t(c);
  }
  return s;
}
NI static int scan(const char *s) {
  int a, b, n = 0;
  double d;
  char w[10];
  int k = sscanf(s, "%d %x %lf %9s%n", &a, &b, &d, w, &n);
  return k * 100000 + a + b + (int)d + t(n) + w[0];
}
NI static size_t stream(char **out) {
  size_t n;
  FILE *f = open_memstream(out, &n);
  for (int i = 0; i < t(20); i++)
    fprintf(f, "%*d|%-*s|%+.*e\n", i, i, 5, "ab", i % 4, i * 1.5);
  fclose(f);
  return n;
}
NI static int filter(FILE *f) {
  char *line = 0;
  size_t cap = 0;
  ssize_t n;
  int s = 0;
  while ((n = getline(&line, &cap, f)) > 0)
    s = s * 3 % 100003 + line[t((int)n) / 2];
  free(line);
  return s;
}
int main(void) {
  char s[] = "the quick, brown fox. jumps";
  printf("%d\n", words(s));
  char r[] = "reverse me";
  printf("%s %d\n", reverse(r), scan("12 ff 3.5 word rest"));
  char *text;
  size_t n = stream(&text);
  unsigned h = 0;
  for (size_t i = 0; i < n; i++)
    h = h * 33 + (unsigned char)text[i];
  FILE *f = fmemopen(text, n, "r");
  printf("%zu %u %d\n", n, h, filter(f));
  fclose(f);
  free(text);
  char b[100];
  int k = 0;
  printf("%s|%5d|%-5d|%05d|%+d|%x|%#o|%c|%%|%p|%.3s|%n|%lld|%zu|%Lf|%a\n", "str", t(1), 2, 3, 4, 255, 8, 'c', (void *)0,
         "abcdef", &k, 1LL << 40, sizeof b, 1.5L, 1.0);
  printf("%d %d\n", k, snprintf(b, 5, "%s", "too long"));
  setenv("CH_TEST", "value", 1);
  printf("%s %s\n", getenv("CH_TEST"), getenv("CH_TEST_NO") ? "?" : "unset");
  struct tm tm = {.tm_year = 100, .tm_mon = t(1), .tm_mday = 29};
  time_t when = timegm(&tm);
  strftime(b, sizeof b, "%Y-%m-%d %j %a", gmtime(&when));
  puts(b);
  wchar_t w[20];
  swprintf(w, 20, L"%ls %d", L"wide", t(7));
  printf("%zu %ls\n", wcslen(w), w);
  int *a = calloc((size_t)t(5), sizeof *a);
  a = realloc(a, 50 * sizeof *a);
  a[49] = t(3);
  printf("%d %d\n", a[0], a[49]);
  free(a);
  printf("%d %s\n", toupper(t('q')), strstr("haystack", "st"));
  char *d = strdup("dup");
  d[0] = (char)toupper(d[0]);
  puts(d);
  free(d);
  printf("%u\n", e);
}
