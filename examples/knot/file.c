/* The files under the root. A cache of each domain's own keeps those that were asked for last: small ones with their
 * content, others as an open descriptor. What the cache says is compared with the disk once a second. */
#include "knot.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 1024, SMALL = 64 << 10 };
static _Thread_local struct file *cache[SLOTS];
static const int64_t second = 1000000000;

static unsigned slot_of(const char *path) {
  unsigned hash = 5381;
  for (; *path; path++)
    hash = hash * 33 ^ (unsigned char)*path;
  return hash % SLOTS;
}

void file_close(struct file *f) {
  if (--f->users > 0)
    return;
  if (f->fd >= 0)
    close(f->fd);
  free(f->content);
  free(f->head);
  free(f->path);
  free(f);
}

static atomic void remember(struct file *f) {
  struct file **slot = &cache[slot_of(f->path)], *before = *slot;
  f->users++;
  *slot = f;
  if (before)
    file_close(before);
}

static atomic void forget(struct file *f) {
  struct file **slot = &cache[slot_of(f->path)];
  if (*slot == f) {
    *slot = NULL;
    file_close(f);
  }
}

atomic void files_forget(void) {
  for (int i = 0; i < SLOTS; i++)
    if (cache[i])
      forget(cache[i]);
}

/* By the end of the path. */
static const char *type_of(const char *path) {
  static const char *const types[] = {
      "html text/html; charset=utf-8",
      "css text/css; charset=utf-8",
      "js text/javascript; charset=utf-8",
      "json application/json",
      "txt text/plain; charset=utf-8",
      "xml application/xml",
      "svg image/svg+xml",
      "png image/png",
      "jpg image/jpeg",
      "gif image/gif",
      "webp image/webp",
      "ico image/x-icon",
      "woff2 font/woff2",
      "wasm application/wasm",
      "pdf application/pdf",
      "mp3 audio/mpeg",
      "mp4 video/mp4",
      "webm video/webm",
  };
  const char *dot = strrchr(path, '.');
  size_t n = dot ? strlen(dot + 1) : 0;
  for (size_t i = 0; n > 0 && i < sizeof types / sizeof *types; i++)
    if (strncasecmp(types[i], dot + 1, n) == 0 && types[i][n] == ' ')
      return types[i] + n + 1;
  return "application/octet-stream";
}

/* ---- paths ---- */

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* The path under the root that a target means: decoded, without `.` and `..`, never above the root. False: no path. */
static bool path_of(char *path, size_t size, const char *target) {
  if (strncmp(target, "http://", 7) == 0 && (target = strchr(target + 7, '/')) == NULL)
    target = "/";
  if (*target != '/')
    return false;
  size_t n = 0;
  for (const char *t = target; *t && *t != '?' && *t != '#'; t++) {
    char c = *t;
    if (c == '%') {
      int high = digit(t[1]), low = high < 0 ? -1 : digit(t[2]);
      if (low < 0 || (high == 0 && low == 0))
        return false;
      c = (char)(high * 16 + low);
      t += 2;
    }
    if (n + 2 > size)
      return false;
    path[n++] = c;
  }
  path[n] = '\0';
  char *to = path;
  for (char *from = path; *from;) {
    size_t part = 1 + strcspn(from + 1, "/");
    bool last = from[part] == '\0';
    if (part == 1 && !last) {
      /* two slashes are one */
    } else if (part == 2 && from[1] == '.') {
      if (last)
        *to++ = '/';
    } else if (part == 3 && from[1] == '.' && from[2] == '.') {
      while (to > path && *--to != '/')
        ;
      if (last)
        *to++ = '/';
    } else {
      memmove(to, from, part);
      to += part;
    }
    from += part;
  }
  if (to == path)
    *to++ = '/';
  *to = '\0';
  return true;
}

/* ---- opening ---- */

static int status_of(int error) {
  return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP ? 404
         : error == EACCES || error == EPERM                                            ? 403
                                                                                        : 500;
}

static bool load(struct file *f) {
  f->content = malloc((size_t)f->size + 1);
  off_t got = 0;
  for (ssize_t n; f->content && got < f->size; got += n)
    if ((n = pread(f->fd, f->content + got, (size_t)(f->size - got), got)) <= 0)
      break;
  close(f->fd);
  f->fd = -1;
  return f->content && got == f->size;
}

/* Writes the lines of the head. `encoding` is "gzip", "br" or NULL. */
static bool describe(struct file *f, const char *type, const char *encoding) {
  char date[32];
  FILE *out = open_memstream(&f->head, &f->head_size);
  if (!out)
    return false;
  fprintf(out, "Last-Modified: %s\r\nETag: %s\r\nAccept-Ranges: bytes\r\nVary: Accept-Encoding\r\n",
          http_date(f->modified, date), f->etag);
  f->validators = (size_t)ftell(out);
  fprintf(out, "Content-Type: %s\r\n", type);
  if (encoding)
    fprintf(out, "Content-Encoding: %s\r\n", encoding);
  f->description = (size_t)ftell(out);
  fprintf(out, "Content-Length: %lld\r\n\r\n", (long long)f->size);
  return fclose(out) == 0;
}

/* Opens what no cache has. `name` is its path for the type, which is that of the file before it was compressed. */
static int open_new(struct file **result, const char *path, const char *name, const char *encoding) {
  struct stat s;
  int root = open(settings.root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int fd = root < 0 ? -1 : openat(root, path + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  int error = errno;
  if (root >= 0)
    close(root);
  if (fd < 0)
    return status_of(error);
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
    close(fd);
    return S_ISDIR(s.st_mode) ? 301 : 403;
  }
  struct file *f = calloc(1, sizeof *f);
  *f = (struct file){.path = strdup(path),
                     .fd = fd,
                     .size = s.st_size,
                     .modified = s.st_mtime,
                     .inode = s.st_ino,
                     .looked = ch_now(),
                     .users = 1};
  snprintf(f->etag, sizeof f->etag, "\"%llx-%llx%s%s\"", (long long)s.st_mtime, (long long)s.st_size,
           encoding ? "-" : "", encoding ? encoding : "");
  if (!describe(f, type_of(name), encoding) || (f->size <= SMALL && !load(f))) {
    file_close(f);
    return 500;
  }
  remember(f);
  *result = f;
  return 0;
}

/* Whether the disk still has what the cache has. */
static bool is_current(struct file *f) {
  char whole[4096];
  struct stat s;
  if (ch_now() - f->looked < second)
    return true;
  snprintf(whole, sizeof whole, "%s%s", settings.root, f->path);
  if (stat(whole, &s) != 0 || s.st_mtime != f->modified || s.st_size != f->size || s.st_ino != f->inode)
    return false;
  f->looked = ch_now();
  return true;
}

static int open_path(struct file **result, const char *path, const char *name, const char *encoding) {
  struct file *f = cache[slot_of(path)];
  if (f && strcmp(f->path, path) == 0) {
    f->users++; /* others run while this one waits for the disk */
    if (is_current(f)) {
      *result = f;
      return 0;
    }
    forget(f);
    file_close(f);
  }
  return open_new(result, path, name, encoding);
}

/* Whether the list of an Accept-Encoding has the coding, with a weight that is not 0. */
static bool accepts(const char *list, const char *coding) {
  size_t n = strlen(coding);
  for (const char *at = list; at && (at = strcasestr(at, coding)) != NULL; at += n) {
    if ((at > list && !strchr(" ,", at[-1])) || !strchr(" ,;", at[n]))
      continue;
    const char *weight = at + n + strspn(at + n, " ");
    if (*weight != ';')
      return true;
    weight += 1 + strspn(weight + 1, " ");
    return strncasecmp(weight, "q=", 2) != 0 || strtod(weight + 2, NULL) > 0;
  }
  return false;
}

int file_open(struct file **result, const char *target, const char *accepted) {
  static const char *const codings[][2] = {{"br", ".br"}, {"gzip", ".gz"}};
  char path[2048], compressed[2048 + 4];
  if (!path_of(path, sizeof path - sizeof "index.html", target))
    return 400;
  if (path[strlen(path) - 1] == '/')
    strcat(path, "index.html");
  for (int i = 0; accepted && i < 2; i++)
    if (accepts(accepted, codings[i][0])) {
      snprintf(compressed, sizeof compressed, "%s%s", path, codings[i][1]);
      if (open_path(result, compressed, path, codings[i][0]) == 0)
        return 0;
    }
  return open_path(result, path, path, NULL);
}
