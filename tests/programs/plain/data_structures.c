/* A hash table, a red-black style tree, a heap, a matrix and a tokenizer: small programs of the usual kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned e;
struct entry {
  struct entry *next;
  char *key;
  int value;
};
struct table {
  struct entry **bucket;
  unsigned size, used;
};
static unsigned hash(const char *s) {
  unsigned h = 5381;
  while (*s)
    h = h * 33 ^ (unsigned char)*s++;
  return h;
}
static struct entry *find(struct table *t, const char *k) {
  for (struct entry *x = t->bucket[hash(k) % t->size]; x; x = x->next)
    if (!strcmp(x->key, k))
      return x;
  return 0;
}
static void put(struct table *t, const char *k, int v);
static void grow(struct table *t) {
  struct table n = {calloc(t->size * 2, sizeof *n.bucket), t->size * 2, 0};
  for (unsigned i = 0; i < t->size; i++)
    for (struct entry *x = t->bucket[i], *y; x; x = y) {
      y = x->next;
      put(&n, x->key, x->value);
      free(x->key);
      free(x);
    }
  free(t->bucket);
  *t = n;
}
static void put(struct table *t, const char *k, int v) {
  struct entry *x = find(t, k);
  if (x) {
    x->value = v;
    return;
  }
  if (t->used > t->size)
    grow(t);
  x = malloc(sizeof *x);
  unsigned b = hash(k) % t->size;
  *x = (struct entry){t->bucket[b], strdup(k), v};
  t->bucket[b] = x;
  t->used++;
}
struct node {
  struct node *kid[2];
  int key, level;
};
static struct node *skew(struct node *n) {
  if (n && n->kid[0] && n->kid[0]->level == n->level) {
    struct node *l = n->kid[0];
    n->kid[0] = l->kid[1];
    l->kid[1] = n;
    return l;
  }
  return n;
}
static struct node *split(struct node *n) {
  if (n && n->kid[1] && n->kid[1]->kid[1] && n->kid[1]->kid[1]->level == n->level) {
    struct node *r = n->kid[1];
    n->kid[1] = r->kid[0];
    r->kid[0] = n;
    r->level++;
    return r;
  }
  return n;
}
static struct node *insert(struct node *n, int k) {
  if (!n) {
    n = calloc(1, sizeof *n);
    n->key = k;
    n->level = 1;
    return n;
  }
  int d = k > n->key;
  n->kid[d] = insert(n->kid[d], k);
  return split(skew(n));
}
static int height(const struct node *n) {
  if (!n)
    return 0;
  int a = height(n->kid[0]), b = height(n->kid[1]);
  return 1 + (a > b ? a : b);
}
static void each(const struct node *n, void (*f)(int)) {
  if (n) {
    each(n->kid[0], f);
    f(n->key);
    each(n->kid[1], f);
  }
}
static void visit(int k) { e = e * 31 + (unsigned)k; }
static void drop(struct node *n) {
  if (n) {
    drop(n->kid[0]);
    drop(n->kid[1]);
    free(n);
  }
}
static void down(int *h, int n, int i) {
  for (;;) {
    int m = i;
    for (int c = 2 * i + 1; c <= 2 * i + 2 && c < n; c++)
      if (h[c] > h[m])
        m = c;
    if (m == i)
      return;
    int x = h[i];
    h[i] = h[m];
    h[m] = x;
    i = m;
  }
}
static void heapsort_(int *a, int n) {
  for (int i = n / 2; i-- > 0;)
    down(a, n, i);
  while (n > 1) {
    int x = a[0];
    a[0] = a[--n];
    a[n] = x;
    down(a, n, 0);
  }
}
static const char *src;
static long expr(void);
static long atom(void) {
  while (*src == ' ')
    src++;
  if (*src == '(') {
    src++;
    long v = expr();
    src++;
    return v;
  }
  if (*src == '-') {
    src++;
    return -atom();
  }
  return strtol(src, (char **)&src, 10);
}
static long term(void) {
  long v = atom();
  for (;;) {
    while (*src == ' ')
      src++;
    if (*src == '*') {
      src++;
      v *= atom();
    } else if (*src == '/') {
      src++;
      v /= atom();
    } else
      return v;
  }
}
static long expr(void) {
  long v = term();
  for (;;) {
    while (*src == ' ')
      src++;
    if (*src == '+') {
      src++;
      v += term();
    } else if (*src == '-') {
      src++;
      v -= term();
    } else
      return v;
  }
}
static void multiply(int n, double a[n][n], double b[n][n], double c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}
int main(void) {
  struct table t = {calloc(4, sizeof *t.bucket), 4, 0};
  char k[20];
  for (int i = 0; i < 300; i++) {
    snprintf(k, sizeof k, "key%d", i * 7 % 211);
    put(&t, k, i);
  }
  int s = 0;
  for (int i = 0; i < 250; i++) {
    snprintf(k, sizeof k, "key%d", i);
    struct entry *x = find(&t, k);
    s = s * 3 % 10007 + (x ? x->value : -1);
  }
  printf("%u %u %d\n", t.size, t.used, s);
  for (unsigned i = 0; i < t.size; i++)
    for (struct entry *x = t.bucket[i], *y; x; x = y) {
      y = x->next;
      free(x->key);
      free(x);
    }
  free(t.bucket);
  struct node *r = 0;
  for (int i = 0; i < 200; i++)
    r = insert(r, i * 37 % 199);
  each(r, visit);
  printf("%d %u\n", height(r), e);
  drop(r);
  int a[100];
  for (int i = 0; i < 100; i++)
    a[i] = i * 61 % 101;
  heapsort_(a, 100);
  for (int i = 0; i < 100; i++)
    e = e * 31 + (unsigned)a[i];
  printf("%u\n", e);
  src = "2 * (3 + 4) - -5 * (6 - 2 * (1 + 1)) / 2 + 100";
  printf("%ld\n", expr());
  double m[5][5], n[5][5], o[5][5];
  for (int i = 0; i < 25; i++)
    m[i / 5][i % 5] = i, n[i / 5][i % 5] = 25 - i;
  multiply(5, m, n, o);
  multiply(5, o, m, n);
  printf("%g %g\n", n[0][0], n[4][3]);
}
