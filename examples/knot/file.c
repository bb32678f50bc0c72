/* The files under the root. Each domain has a cache that keeps, for a second, the files that were asked for last: small
 * ones with their content, others as an open descriptor. */
#include "knot.h"
#include <search.h>
#include <sys/stat.h>

enum { SLOTS = 1024, SMALL = 64 << 10, LONGEST_PATH = 2048 }; /* LONGEST_PATH: of a target, decoded */
static _Thread_local struct file *cache[SLOTS];

static struct file **slot_of(const char *path) {
  unsigned hash = 5381;
  for (; *path; path++)
    hash = hash * 33 ^ (unsigned char)*path;
  return &cache[hash % SLOTS];
}

void file_close(struct file *f) {
  if (--f->users > 0)
    return;
  if (f->fd >= 0)
    close(f->fd);
  free(f->content);
  free(f);
}

/* Puts the file, or NULL, into the slot. Two activities may open the same file at a time; then the last one's stays. */
static ch_may_interleave atomic void replace(struct file **slot, struct file *f) {
  struct file *before = *slot;
  if (f)
    f->users++;
  *slot = f;
  if (before)
    file_close(before);
}

intptr_t files_forget(void *unused) {
  (void)unused;
  for (int i = 0; i < SLOTS; i++)
    replace(&cache[i], NULL);
  return 0;
}

/* ---- what a target means ---- */

/* Decodes the path of a target. False: it has none. */
static bool decode(char *path, size_t size, const char *target) {
  size_t scheme = strncasecmp(target, "http://", 7) == 0 ? 7 : strncasecmp(target, "https://", 8) == 0 ? 8 : 0;
  if (scheme > 0 && !(target = strchr(target + scheme, '/')))
    target = "/";
  size_t n = 0;
  for (; *target && *target != '?' && *target != '#'; target++) {
    path[n] = *target;
    if (*target == '%') {
      char digits[3] = {target[1], target[1] ? target[2] : '\0'}, *end;
      path[n] = isxdigit((unsigned char)*digits) ? (char)strtol(digits, &end, 16) : '\0';
      if (!path[n] || end != digits + 2)
        return false;
      target += 2;
    }
    if (++n == size)
      return false;
  }
  path[n] = '\0';
  return path[0] == '/';
}

/* Resolves `.`, `..` and empty parts of a path, in place. The result never leads above the root. */
static void normalize(char *path) {
  size_t n = 0;
  bool folder = false;
  for (char *rest = path + 1, *part; (part = strsep(&rest, "/"));) {
    folder = !*part || strcmp(part, ".") == 0 || strcmp(part, "..") == 0;
    if (!folder) {
      size_t length = strlen(part);
      path[n++] = '/';
      memmove(path + n, part, length);
      n += length;
    } else if (strcmp(part, "..") == 0) {
      while (n > 0 && path[--n] != '/')
        ;
    }
  }
  strcpy(path + n, folder ? "/" : "");
}

/* ---- types ---- */

static struct hsearch_data types; /* from the end of a name, in small letters, to the type; read by all domains */

/* A line of the system's table has a type and the ends of the names of its files. */
void file_types_load(void) {
  static char *table;
  size_t size = 0;
  FILE *file = fopen("/etc/mime.types", "re");
  ENTRY *entered;
  hcreate_r(8192, &types);
  if (!file)
    return;
  getdelim(&table, &size, '\0', file);
  fclose(file);
  for (char *rest = table, *line; (line = strsep(&rest, "\n"));) {
    char *words, *type = strtok_r(line, " \t", &words), *end;
    while (type && *type != '#' && (end = strtok_r(NULL, " \t", &words)))
      hsearch_r((ENTRY){end, type}, ENTER, &entered, &types);
  }
}

/* By the end of the name, which is the first `n` bytes. */
static const char *type_of(const char *name, size_t n) {
  char end[16] = "";
  const char *dot = memrchr(name, '.', n);
  for (size_t i = 0; dot && dot + i + 1 < name + n && i + 1 < sizeof end; i++)
    end[i] = (char)tolower((unsigned char)dot[i + 1]);
  ENTRY *found;
  return hsearch_r((ENTRY){end, NULL}, FIND, &found, &types) ? found->data : "application/octet-stream";
}

/* ---- opening ---- */

static int status_of(int error) {
  bool is_absent = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP;
  return is_absent ? 404 : error == EACCES || error == EPERM ? 403 : 500;
}

/* Reads a small file. False: it cannot be read. */
static bool load(struct file *f) {
  f->content = malloc((size_t)f->size + 1);
  bool whole = f->content && pread(f->fd, f->content, (size_t)f->size, 0) == f->size;
  close(f->fd);
  f->fd = -1;
  return whole;
}

/* Writes the parts of a head. The first `name` bytes of the path are that of the file before it was compressed. */
static void describe(struct file *f, size_t name, const char *coding) {
  char date[32];
  const char *type = type_of(f->path, name);
  snprintf(f->etag, sizeof f->etag, "\"%llx-%llx-%s\"", (long long)f->modified, (long long)f->size, coding);
  snprintf(f->validators, sizeof f->validators,
           "Last-Modified: %s\r\nETag: %s\r\nAccept-Ranges: bytes\r\nVary: Accept-Encoding\r\n",
           http_date(f->modified, date), f->etag);
  snprintf(f->description, sizeof f->description, "Content-Type: %s%s\r\n%s%s%s", type,
           strncmp(type, "text/", 5) == 0 ? "; charset=utf-8" : "", *coding ? "Content-Encoding: " : "", coding,
           *coding ? "\r\n" : "");
  snprintf(f->length, sizeof f->length, "Content-Length: %lld\r\n\r\n", (long long)f->size);
}

/* Opens a path, of which the first `name` bytes name the file before it was compressed; `coding` is "gzip", "br" or "".
 * What the cache has is believed for a second. */
static int open_path(struct file **result, const char *path, size_t name, const char *coding) {
  struct file **slot = slot_of(path), *f = *slot;
  struct stat s;
  if (f && strcmp(f->path, path) == 0 && ch_now() - f->opened < SECOND) {
    f->users++;
    *result = f;
    return 0;
  }
  int fd = openat(settings.root, path + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return status_of(errno);
  f = malloc(sizeof *f + strlen(path) + 1);
  if (!f || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
    close(fd);
    free(f);
    return !f ? 500 : S_ISDIR(s.st_mode) ? 301 : 403;
  }
  *f = (struct file){.fd = fd, .size = s.st_size, .modified = s.st_mtime, .opened = ch_now(), .users = 1};
  strcpy(f->path, path);
  describe(f, name, coding);
  if (f->size <= SMALL && !load(f)) {
    file_close(f);
    return 500;
  }
  replace(slot, f);
  *result = f;
  return 0;
}

/* Whether the list of an Accept-Encoding has the coding, with a weight that is not 0. */
static bool accepts(const char *list, const char *coding) {
  size_t n = strlen(coding);
  for (const char *at = list; at && (at = strcasestr(at, coding)) != NULL; at += n) {
    if ((at > list && !strchr(" ,", at[-1])) || !strchr(" ,;", at[n]))
      continue;
    const char *weight = at + n + strspn(at + n, " ;");
    return strncasecmp(weight, "q=", 2) != 0 || strtod(weight + 2, NULL) > 0;
  }
  return false;
}

int file_open(struct file **result, const char *target, const char *accepted) {
  static const char *const codings[][2] = {{"br", ".br"}, {"gzip", ".gz"}};
  char path[LONGEST_PATH + sizeof "index.html.gz"];
  if (!decode(path, LONGEST_PATH, target))
    return 400;
  normalize(path);
  char *end = path + strlen(path);
  if (end[-1] == '/')
    end = stpcpy(end, "index.html");
  for (int i = 0; accepted && i < 2; i++)
    if (accepts(accepted, codings[i][0])) {
      strcpy(end, codings[i][1]);
      if (open_path(result, path, (size_t)(end - path), codings[i][0]) == 0)
        return 0;
    }
  *end = '\0';
  return open_path(result, path, (size_t)(end - path), "");
}
