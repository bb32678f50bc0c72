/* Knot, a web server for files: the declarations that its parts share. Read main.c first, then connection.c. */
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
  const char *root, *log; /* the folder that is served; the log file, or NULL */
  int port, domains;      /* the port, or 0 for any; the number of threads that serve */
  int connections;        /* the largest number of connections at a time, in each domain */
  int64_t idle, timeout;  /* how many ns a connection may be idle; how many ns a client may need to send a request, or
                              to receive some part of an answer */
  long long largest_body; /* the largest body of a request in bytes; a body is read and dropped */
};
extern struct settings settings;
extern bool stopping; /* no new requests are served; main writes it and all domains read it */

/* ---- request.c: a request, which comes in pieces ---- */

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
  bool begun, complete; /* some of the request has come; all of it has come */
  int refused;          /* the status of the answer to a request that cannot be understood, or 0 */
  int name;             /* the header whose value is coming now, or HEADERS */
  size_t head, used;    /* how many bytes of the head have come; how many bytes of `text` are used */
  long long body;       /* how many bytes of the body have come */
  char *target;         /* what stands behind GET, as it was sent */
  char *value[HEADERS]; /* the values of the headers that matter here, in `text`; NULL: no such header came */
  char text[HEAD_SIZE];
};
void request_begin(struct request *);
/* Takes bytes in until the request is complete or refused, and returns how many it has taken. */
size_t request_take(struct request *, const char *bytes, size_t n);
/* Tells whether another request may follow on the same connection. */
bool request_keeps_alive(const struct request *);

/* ---- file.c: the files under the root, of which the small ones are kept in memory ---- */

struct file {
  char *path;    /* relative to the root; it is the file's key in the cache */
  int fd;        /* an open descriptor, or -1 if the content is in memory */
  char *content; /* the content if it is in memory, or NULL */
  off_t size;
  time_t modified;
  ino_t inode;
  int64_t looked; /* the time, on the clock of ch_now, when it was last compared with the disk */
  unsigned users; /* how many have opened it; the cache counts as one */
  char etag[40];
  /* The lines of an answer's head that depend on the file alone. The first `validators` bytes are those that an answer
   * without content has too, the first `description` bytes those of a part; with the rest they end the head of an
   * answer with the whole file. */
  char *head;
  size_t validators, description, head_size;
};
/* Opens the file that the target names, or its compressed form if the client accepts that. It waits for the disk if the
 * file is not in the cache. Returns 0, and the caller closes the file later; or the status of the answer: 301 (a folder
 * without a slash), 400, 403, 404 or 500. */
int file_open(struct file **, const char *target, const char *accepted);
void file_close(struct file *);
void files_forget(void);

/* ---- answer.c: what is sent ---- */

/* What was written for a client and was not sent yet. */
struct output {
  int to;
  bool failed; /* the client has gone, or is too slow */
  size_t used;
  char bytes[16384];
};
void output_flush(struct output *);

/* Answers the request, and returns the status. When it returns, the kernel has the bytes of a large file; all else is
 * in the output. */
int answer(struct output *, const struct request *, bool last, long long *sent);
/* Writes the time as HTTP has it, and returns `text`. */
const char *http_date(time_t, char text[static 32]);
/* Answers with a page about the status. */
void answer_status(struct output *, int status, bool last, bool head_only, const char *more_headers);

/* ---- connection.c ---- */

/* Serves the client until it has gone or has been idle for too long, and closes the descriptor. */
void serve(int connection, uint32_t address);
/* Ends the connections that are idle. */
void end_idle_connections(void);
void forget_spares(void);

/* ---- log.c ---- */

void log_request(uint32_t address, const struct request *, int status, long long sent, int64_t began);
void log_reopen(void);
void log_flush(void);

#endif
