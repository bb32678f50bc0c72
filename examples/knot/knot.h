/* Knot, a web server for files: what its parts know of each other. Read main.c first, then connection.c. */
#ifndef KNOT_H
#define KNOT_H

#define _GNU_SOURCE
#include <charcoal.h>
#include <llhttp/llhttp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct settings {
  const char *root, *log; /* a folder; a file, or NULL */
  int port, domains;      /* a port, 0: any; how many threads serve */
  int connections;        /* at most so many at a time, in each domain */
  int64_t idle, timeout;  /* ns that a connection may be idle; that a client may take for a request, or to take some of
                              an answer */
  long long largest_body; /* bytes of a request's body, which is read and dropped */
};
extern struct settings settings;
extern bool stopping; /* written by main, read by all domains: no new requests */

/* ---- request.c: a request, as it comes in pieces ---- */

enum { HEAD_SIZE = 8192 };
enum header {
  HOST,
  RANGE,
  IF_RANGE,
  IF_MATCH,
  IF_NONE_MATCH,
  IF_MODIFIED_SINCE,
  IF_UNMODIFIED_SINCE,
  ACCEPT_ENCODING,
  USER_AGENT,
  REFERER,
  HEADERS
};

struct request {
  llhttp_t parser;
  bool begun, complete; /* some of it has come; all of it */
  int refused;          /* the status to answer it with, because it cannot be understood; or 0 */
  int name;             /* the header whose value comes now, or HEADERS */
  size_t head, used;    /* bytes of the head that have come; bytes of `text` that are used */
  long long body;       /* bytes of the body that have come */
  char *target;         /* what stands behind GET, as it was sent */
  char *value[HEADERS]; /* of the headers that matter here, or NULL; in `text` */
  char text[HEAD_SIZE];
};
void request_begin(struct request *);
/* Takes bytes in, until the request is complete or refused; returns how many. */
size_t request_take(struct request *, const char *bytes, size_t n);
/* The answer to it may be followed by the next request. */
bool request_keeps_alive(const struct request *);

/* ---- file.c: the files under the root, the small ones in memory ---- */

struct file {
  char *path;    /* relative to the root; the file's key in the cache */
  int fd;        /* -1: its content is in memory */
  char *content; /* or NULL */
  off_t size;
  time_t modified;
  ino_t inode;
  int64_t looked;              /* when it was last compared with the disk, by ch_now */
  unsigned users;              /* who have opened it, and the cache */
  const char *type, *encoding; /* "text/html"; "gzip", "br" or NULL */
  char etag[40];
};
/* The file that the target means, or its compressed form if the client takes that. 0, and the caller closes it; or a
 * status: 301 (a folder without a slash), 400, 403, 404, 500. Waits for the disk if it is not in the cache. */
int file_open(struct file **, const char *target, const char *accepted);
void file_close(struct file *);
void files_forget(void);

/* ---- answer.c: what is sent ---- */

/* What has been written for a client and not been sent. */
struct output {
  int to;
  bool failed; /* the client has gone, or is too slow */
  size_t used;
  char bytes[16384];
};
void output_flush(struct output *);

/* Answers the request; large files are on their way when it returns, the rest is in the output. Returns the status. */
int answer(struct output *, const struct request *, bool last, long long *sent);
/* An answer that is a page about the status. */
void answer_status(struct output *, int status, bool last, bool head_only, const char *more_headers);

/* ---- connection.c ---- */

/* Serves the client until it has gone, or has been idle for too long; closes the descriptor. */
void serve(int connection, uint32_t address);
/* Lets connections that are idle end now. */
void end_idle_connections(void);
void forget_spares(void);

/* ---- log.c ---- */

void log_request(uint32_t address, const struct request *, int status, long long sent, int64_t began);
void log_reopen(void);
void log_flush(void);

#endif
