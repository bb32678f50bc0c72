/* The least that a web server can do, for the servers by hand: the files of a folder are read once, and of a request
 * only the first line is looked at. There are no ranges, conditions, limits or timeouts, and a request has to come in
 * one piece. */
#ifndef BENCH_HTTP_MINIMAL_H
#define BENCH_HTTP_MINIMAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct page {
  char name[256];
  char *content;
  size_t size;
};
static struct page pages[16];
static int number_of_pages;

static inline void read_pages(const char *folder) {
  DIR *all = opendir(folder);
  if (!all)
    exit(1);
  for (struct dirent *e; (e = readdir(all)) && number_of_pages < 16;) {
    struct page *p = &pages[number_of_pages];
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    FILE *file = *e->d_name == '.' ? NULL : fopen(path, "r");
    if (!file)
      continue;
    p->content = malloc(1 << 20);
    p->size = fread(p->content, 1, 1 << 20, file);
    snprintf(p->name, sizeof p->name, "%s", e->d_name);
    number_of_pages++;
    fclose(file);
  }
  closedir(all);
}

static inline const char *date_now(void) {
  static time_t at;
  static char text[32];
  struct timespec now;
  struct tm parts;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != at) {
    at = now.tv_sec;
    strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&at, &parts));
  }
  return text;
}

/* The page that is asked for, or NULL; the head of the answer, and whether it is the last. */
static inline const struct page *reply(const char *request, size_t n, char head[static 300], int *head_size,
                                       int *last) {
  static const struct page nothing;
  size_t path = 5, end = path;
  if (n > 6 && memcmp(request, "HEAD /", 6) == 0) { /* a proxy asks whether this server is well */
    *last = 1;
    *head_size = snprintf(head, 300, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return &nothing;
  }
  if (n < 18 || memcmp(request, "GET /", 5) || memcmp(request + n - 4, "\r\n\r\n", 4))
    return NULL;
  while (end < n && request[end] != ' ')
    end++;
  *last = memmem(request, n, "Connection: close", 17) != NULL;
  for (int i = 0; i < number_of_pages; i++) {
    struct page *p = &pages[i];
    if (strlen(p->name) != end - path || memcmp(p->name, request + path, end - path))
      continue;
    *head_size = snprintf(head, 300,
                          "HTTP/1.1 200 OK\r\nServer: minimal\r\nDate: %s\r\nContent-Type: text/html\r\n"
                          "Content-Length: %zu\r\n%s\r\n",
                          date_now(), p->size, *last ? "Connection: close\r\n" : "");
    return p;
  }
  return NULL;
}

#endif
