/* The data: what the keys stand for. Nothing here waits but save and load, which block the thread. */
#include "kv.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct entry *entries;

bool several_domains;
static pthread_mutex_t data = PTHREAD_MUTEX_INITIALIZER;

void take_data(void) {
  if (several_domains)
    pthread_mutex_lock(&data);
}

void give_data_back(void) {
  if (several_domains)
    pthread_mutex_unlock(&data);
}

int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

struct entry *find(struct text key) {
  struct entry *e;
  HASH_FIND(hh, entries, key.at, key.size, e);
  if (e && e->expires && e->expires <= now_ms()) {
    drop(e);
    return NULL;
  }
  return e;
}

void touch(struct entry *e) {
  static uint64_t versions;
  e->version = ++versions;
}

struct entry *make(struct text key, enum kind kind) {
  struct entry *e = calloc(1, sizeof *e + key.size);
  touch(e);
  e->kind = kind;
  e->key_size = key.size;
  memcpy(e->key, key.at, key.size);
  HASH_ADD(hh, entries, key, key.size, e);
  return e;
}

void drop(struct entry *e) {
  HASH_DEL(entries, e);
  struct item *item, *next;
  DL_FOREACH_SAFE(e->items, item, next)
  free(item);
  while (e->fields)
    drop_field(e, e->fields);
  free(e->value);
  free(e);
}

void drop_all(void) {
  while (entries)
    drop(entries);
}

void set_string(struct entry *e, struct text value) {
  e->value = realloc(e->value, value.size + 1);
  memcpy(e->value, value.at, value.size);
  e->size = value.size;
  touch(e);
}

struct field *find_field(struct entry *e, struct text name) {
  struct field *f;
  HASH_FIND(hh, e->fields, name.at, name.size, f);
  return f;
}

void set_field(struct entry *e, struct text name, struct text value) {
  struct field *f = find_field(e, name);
  if (!f) {
    f = calloc(1, sizeof *f + name.size);
    f->name_size = name.size;
    memcpy(f->name, name.at, name.size);
    HASH_ADD(hh, e->fields, name, name.size, f);
  }
  f->value = realloc(f->value, value.size + 1);
  memcpy(f->value, value.at, value.size);
  f->size = value.size;
  touch(e);
}

void drop_field(struct entry *e, struct field *f) {
  HASH_DEL(e->fields, f);
  free(f->value);
  free(f);
  touch(e);
}

struct item *new_item(struct text value) {
  struct item *i = malloc(sizeof *i + value.size);
  i->size = value.size;
  memcpy(i->bytes, value.at, value.size);
  return i;
}

void push_item(struct entry *e, struct item *item, bool left) {
  if (left)
    DL_PREPEND(e->items, item);
  else
    DL_APPEND(e->items, item);
  e->size++;
  touch(e);
}

struct item *take_item(struct entry *e, bool left) {
  struct item *item = left ? e->items : e->items->prev;
  DL_DELETE(e->items, item);
  e->size--;
  touch(e);
  return item;
}

void drop_if_empty(struct entry *e) {
  if (e->size == 0)
    drop(e);
}

struct item *pop_item(struct entry *e, bool left) {
  struct item *item = take_item(e, left);
  drop_if_empty(e);
  return item;
}

/* ---- snapshots: a line with the sizes, then the bytes ---- */

static void put(FILE *file, const char *bytes, size_t n) {
  fprintf(file, "%zu\n", n);
  fwrite(bytes, 1, n, file);
}

int save(const char *path) {
  char other[4096];
  snprintf(other, sizeof other, "%s.%d", path, (int)getpid());
  FILE *file = fopen(other, "w");
  if (!file)
    return errno;
  fputs("kv 1\n", file);
  struct entry *e, *next;
  HASH_ITER(hh, entries, e, next) {
    fprintf(file, "%d %lld\n", (int)e->kind, (long long)e->expires);
    put(file, e->key, e->key_size);
    if (e->kind == STRING)
      put(file, e->value, e->size);
    struct item *item;
    DL_FOREACH(e->items, item)
    put(file, item->bytes, item->size);
    for (struct field *f = e->fields; f; f = f->hh.next) {
      put(file, f->name, f->name_size);
      put(file, f->value, f->size);
    }
    fputs("-\n", file);
  }
  fputs(".\n", file);
  int error = ferror(file) | fflush(file) | fsync(fileno(file)) ? errno : 0;
  error = fclose(file) && !error ? errno : error;
  if (!error && rename(other, path) != 0)
    error = errno;
  if (error)
    unlink(other);
  return error;
}

/* The next text of the file, in memory of its own; NULL at "-", or if there is none. */
static char *take(FILE *file, struct text *text) {
  char line[64], *end;
  if (!fgets(line, sizeof line, file) || *line == '-')
    return NULL;
  size_t n = strtoull(line, &end, 10);
  char *bytes = *end == '\n' ? malloc(n + 1) : NULL;
  if (bytes && fread(bytes, 1, n, file) != n) {
    free(bytes);
    return NULL;
  }
  *text = (struct text){bytes, n};
  return bytes;
}

int load(const char *path) {
  char line[64];
  int kind;
  long long expires;
  FILE *file = fopen(path, "r");
  if (!file)
    return errno == ENOENT ? 0 : errno;
  if (!fgets(line, sizeof line, file) || strcmp(line, "kv 1\n") != 0) {
    fclose(file);
    return EINVAL;
  }
  while (fgets(line, sizeof line, file) && sscanf(line, "%d %lld", &kind, &expires) == 2) {
    struct text key, value, name;
    char *key_bytes = take(file, &key), *bytes;
    if (!key_bytes)
      break;
    struct entry *e = make(key, (enum kind)kind);
    e->expires = expires;
    while ((bytes = take(file, &value)) != NULL) {
      if (kind == STRING) {
        set_string(e, value);
      } else if (kind == LIST) {
        push_item(e, new_item(value), false);
      } else {
        char *name_bytes = bytes;
        name = value;
        bytes = take(file, &value);
        if (bytes)
          set_field(e, name, value);
        free(name_bytes);
      }
      free(bytes);
    }
    free(key_bytes);
  }
  fclose(file);
  return strcmp(line, ".\n") == 0 ? 0 : EINVAL;
}
