/* The files under the root. A cache of each domain's own keeps those that were asked for last: small ones with their
 * content, others as an open descriptor. What the cache says is compared with the disk once a second. */
#include "knot.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 1024, SMALL = 64 << 10 };
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

void files_forget(void) {
  for (int i = 0; i < SLOTS; i++)
    replace(&cache[i], NULL);
}

/* ---- what a target means ---- */

/* The value of a hexadecimal digit; -1: it is none. */
static int digit(char c) {
  const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | ('A' <= c && c <= 'F' ? 32 : 0)) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* Decodes the path of a target. False: it has none. */
static bool decode(char *path, size_t size, const char *target) {
  size_t scheme = strncasecmp(target, "http://", 7) == 0 ? 7 : strncasecmp(target, "https://", 8) == 0 ? 8 : 0;
  if (scheme > 0 && !(target = strchr(target + scheme, '/')))
    target = "/";
  size_t n = 0;
  for (; *target && *target != '?' && *target != '#'; target++) {
    path[n] = *target;
    if (*target == '%') {
      int high = digit(target[1]), low = high < 0 ? -1 : digit(target[2]);
      if (low < 0 || high + low == 0)
        return false;
      path[n] = (char)(high * 16 + low);
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

/* By the end of the name, which is the first `n` bytes. */
static const char *type_of(const char *name, size_t n) {
  static const char *const types[][2] = {
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".json", "application/json"},
      {".txt", "text/plain; charset=utf-8"},
      {".xml", "application/xml"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".gif", "image/gif"},
      {".webp", "image/webp"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".wasm", "application/wasm"},
      {".pdf", "application/pdf"},
      {".mp3", "audio/mpeg"},
      {".mp4", "video/mp4"},
      {".webm", "video/webm"},
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    size_t end = strlen(types[i][0]);
    if (end <= n && strncasecmp(types[i][0], name + n - end, end) == 0)
      return types[i][1];
  }
  return "application/octet-stream";
}

/* ---- opening ---- */

static int status_of(int error) {
  return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP ? 404
         : error == EACCES || error == EPERM                                            ? 403
                                                                                        : 500;
}

/* Reads a small file. False: it cannot be read. */
static bool load(struct file *f) {
  f->content = malloc((size_t)f->size + 1);
  bool whole = f->content && pread(f->fd, f->content, (size_t)f->size, 0) == f->size;
  close(f->fd);
  f->fd = -1;
  return whole;
}

/* Opens what the cache does not have. The first `name` bytes of the path are that of the file before it was compressed;
 * `encoding` is "gzip", "br" or NULL. */
static int open_new(struct file **result, const char *path, size_t name, const char *encoding) {
  char date[32];
  struct stat s;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return status_of(errno);
  struct file *f = calloc(1, sizeof *f + strlen(path) + 1);
  if (!f || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
    close(fd);
    free(f);
    return !f ? 500 : S_ISDIR(s.st_mode) ? 301 : 403;
  }
  *f = (struct file){
      .fd = fd, .size = s.st_size, .modified = s.st_mtime, .inode = s.st_ino, .looked = ch_now(), .users = 1};
  strcpy(f->path, path);
  snprintf(f->etag, sizeof f->etag, "\"%llx-%llx%s%s\"", (long long)s.st_mtime, (long long)s.st_size,
           encoding ? "-" : "", encoding ? encoding : "");
  snprintf(f->validators, sizeof f->validators,
           "Last-Modified: %s\r\nETag: %s\r\nAccept-Ranges: bytes\r\nVary: Accept-Encoding\r\n",
           http_date(f->modified, date), f->etag);
  snprintf(f->description, sizeof f->description, "Content-Type: %s\r\n%s%s%s", type_of(path, name),
           encoding ? "Content-Encoding: " : "", encoding ? encoding : "", encoding ? "\r\n" : "");
  snprintf(f->length, sizeof f->length, "Content-Length: %lld\r\n\r\n", (long long)f->size);
  if (f->size <= SMALL && !load(f)) {
    file_close(f);
    return 500;
  }
  replace(slot_of(path), f);
  *result = f;
  return 0;
}

/* Whether the disk still has what the cache has. */
static bool is_current(struct file *f) {
  struct stat s;
  if (ch_now() - f->looked < 1000000000)
    return true;
  if (stat(f->path, &s) != 0 || s.st_mtime != f->modified || s.st_size != f->size || s.st_ino != f->inode)
    return false;
  f->looked = ch_now();
  return true;
}

static int open_path(struct file **result, const char *path, size_t name, const char *encoding) {
  struct file *f = *slot_of(path);
  if (!f || strcmp(f->path, path) != 0)
    return open_new(result, path, name, encoding);
  f->users++; /* others run while this one waits for the disk */
  if (is_current(f)) {
    *result = f;
    return 0;
  }
  file_close(f);
  return open_new(result, path, name, encoding);
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
  char path[PATH_MAX + LONGEST_PATH + sizeof "index.html.gz"];
  strcpy(path, settings.root);
  char *below = path + strlen(path);
  if (!decode(below, LONGEST_PATH, target))
    return 400;
  normalize(below);
  char *end = below + strlen(below);
  if (end[-1] == '/')
    end = stpcpy(end, "index.html");
  for (int i = 0; accepted && i < 2; i++)
    if (accepts(accepted, codings[i][0])) {
      strcpy(end, codings[i][1]);
      if (open_path(result, path, (size_t)(end - path), codings[i][0]) == 0)
        return 0;
    }
  *end = '\0';
  return open_path(result, path, (size_t)(end - path), NULL);
}
