/* Knot, a web server for files: the declarations that its parts share. Read main.c first, then connection.c. */
#ifndef KNOT_H
#define KNOT_H

#define _GNU_SOURCE
#include <charcoal.h>
#include <charcoal/openssl.h>
#include <charcoal/output.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <llhttp/llhttp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
struct settings {
  int root;                /* a descriptor of the folder that is served */
  const char *log;         /* the log file, or NULL */
  long long port, domains; /* the port, or 0 for any; the number of threads that serve */
  long long connections;   /* the largest number of connections at a time, in each domain */
  long long idle;          /* how many ns a connection may be idle */
  long long timeout;       /* how many ns a client may need to send a request, or to receive some part of an answer */
  long long largest_body;  /* the largest body of a request in bytes; a body is read and dropped */
  SSL_CTX *tls;            /* how connections are encrypted, or NULL: none is */
};
extern struct settings settings;
extern bool stopping; /* no new requests are served; main writes it and all domains read it */

/* ---- connection.c ---- */

/* Serves a client until it has gone, has been idle for too long, or the scope is cancelled. A request that has begun is
 * answered in any case. Closes the descriptor. */
void serve(int connection, void *unused);

/* ---- request.c: a request, which comes in pieces ---- */

struct request {
  llhttp_t parser;
  bool has_head, complete; /* all of its head, all of it has come */
  int refused;             /* the status of the answer if it is not understood or not complete, or 0 */
  char *target;            /* what stands after GET, as it was sent; set with has_head, as the next two */
  char *fields;            /* the lines of the fields; what was an end of a line is zeros */
  size_t head;             /* how many of the bytes belong to the head */
  long long body;          /* how many bytes of the body were parsed */
  size_t parsed, end;      /* how many of `bytes` were parsed, and how many were read */
  char bytes[8192];        /* what was read, which is the head, and of the body only what was parsed last */
};
/* Begins with what was read after the request before. */
void request_begin(struct request *);
/* Parses what was read. True: the request is complete or refused. */
bool request_parse(struct request *);
/* Returns the value of the first field with this name, or NULL if the request has none. */
const char *request_field(const struct request *, const char *name);

/* ---- answer.c: what is sent ---- */

struct answer {
  struct ch_output *to;
  const struct request *request;
  bool last;      /* no other answer follows on the connection */
  int status;     /* set by `answer`, as is */
  long long sent; /* the length of the content */
};
/* Answers the request. When it returns, the kernel has the bytes of a large file; all else is in the output. */
void answer(struct answer *);
/* Writes the time as HTTP has it, and returns `text`. */
const char *http_date(time_t, char text[static 32]);

/* ---- file.c: the files under the root, of which the small ones are kept in memory ---- */

struct file {
  char *content;  /* the content if it is in memory, or NULL */
  int fd;         /* an open descriptor, or -1 if the content is in memory */
  unsigned users; /* how many have opened it; the cache counts as one */
  off_t size;
  time_t modified;
  int64_t opened; /* when, on the clock of ch_now */
  char etag[48];
  /* The lines of an answer's head that depend on the file alone: those that an answer without content has too,
   * those that describe the content, and the length of the whole content. */
  char validators[256], description[160], length[48];
  char path[]; /* where it lies below the root, and its key in the cache */
};
/* Reads the system's table of types. */
void file_types_load(void);
/* Opens the file that the target names, or its compressed form if the client accepts that. It waits for the disk if the
 * file is not in the cache. Returns 0, and the caller closes the file later; or the status of the answer: 301 (a folder
 * without a slash), 400, 403, 404 or 500. */
int file_open(struct file **, const char *target, const char *accepted);
void file_close(struct file *);
/* Forgets what this domain's cache holds; a task for ch_domains_each. */
intptr_t files_forget(void *unused);

/* ---- log.c ---- */

/* Opens the log, perhaps anew. */
void log_open(void);
/* Writes a line about an answer to the client of this descriptor. */
void log_answer(const struct answer *, int client, int64_t began);

#endif
