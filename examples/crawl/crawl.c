/* A web crawler: fetches a page and all pages of the same server that can be reached from it, at most AT-A-TIME at
 * once.
 *
 *   crawl [-n AT-A-TIME] [-r RETRIES] [-t SECONDS] HOST:PORT [PATH]
 *
 * If a fetch fails, or takes longer than SECONDS, it is tried again after 0.1 s, then after 0.2 s, 0.4 s and so on.
 * Each page is printed when it has come: its status, its size, its path. The last line counts the pages and the
 * failures. */
#define _GNU_SOURCE
#include <charcoal.h>
#include <charcoal/client.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

static const char *host, *port, *first = "/";
static int at_a_time = 8, retries = 3;
static int64_t limit = 5000000000; /* the time in ns that one fetch may take */
static ch_sem room;
static void *seen; /* the paths that were found, as a tree of tsearch */
static int pages, failures;

/* The answer to a GET, ended by a zero byte, for the caller to free; NULL if it did not come whole. */
static char *get(const char *path, size_t *size) {
  int s = ch_dial(host, port);
  if (s < 0)
    return NULL;
  char *text = NULL;
  ssize_t got = -1;
  if (dprintf(s, "GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host) > 0) {
    text = malloc(LARGEST + 1);
    for (*size = 0; *size < LARGEST && (got = read(s, text + *size, LARGEST - *size)) > 0;)
      *size += (size_t)got;
    text[*size] = '\0';
  }
  close(s);
  if (got >= 0 && strncmp(text, "HTTP/", 5) == 0)
    return text;
  free(text);
  return NULL;
}

static char *get_patiently(const char *path, size_t *size) {
  for (int try = 0; try <= retries; try++) {
    if (try > 0)
      ch_sleep(100000000LL << (try - 1));
    char *text = NULL;
    ch_sem_wait(&room);
    within(limit) do text = get(path, size);
    finish;
    ch_sem_post(&room);
    if (text)
      return text;
  }
  return NULL;
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

/* Whether this is the first time that anybody asks for the path. Nobody else runs in between: tsearch never waits. */
static int is_new(char *path) { atomic return *(char **)tsearch(path, &seen, by_text) == path; }

/* Fetches the page, and then all that it leads to at the same time. The path belongs to `seen`. */
static void crawl(char *path) {
  size_t size;
  char *text = get_patiently(path, &size);
  if (!text) {
    failures++;
    printf("---        - %s\n", path);
    return;
  }
  pages++;
  printf("%.3s %8zu %s\n", text + strcspn(text, " ") + (strchr(text, ' ') != NULL), size, path);
  do {
    for (char *link = text; (link = strstr(link, "href=\"/")) != NULL;) {
      link += strlen("href=\"");
      char *next = strndup(link, strcspn(link, "\"#"));
      if (is_new(next))
        async(next) { crawl(next); }
      else
        free(next);
    }
    free(text);
  }
  finish;
}

int main(int argc, char **argv) {
  for (int option; (option = getopt(argc, argv, "n:r:t:")) != -1;)
    switch (option) {
    case 'n':
      at_a_time = atoi(optarg);
      break;
    case 'r':
      retries = atoi(optarg);
      break;
    case 't':
      limit = (int64_t)(atof(optarg) * 1e9);
      break;
    default:
      optind = argc;
    }
  char *colon = optind < argc ? strrchr(argv[optind], ':') : NULL;
  if (!colon || at_a_time < 1 || retries < 0 || limit <= 0)
    return fprintf(stderr, "usage: crawl [-n AT-A-TIME] [-r RETRIES] [-t SECONDS] HOST:PORT [PATH]\n"), 2;
  *colon = '\0';
  host = argv[optind];
  port = colon + 1;
  if (optind + 1 < argc)
    first = argv[optind + 1];
  ch_sem_init(&room, (unsigned long)at_a_time);
  char *path = strdup(first);
  is_new(path);
  crawl(path);
  tdestroy(seen, free);
  printf("%d pages, %d failures\n", pages, failures);
  return failures != 0;
}
