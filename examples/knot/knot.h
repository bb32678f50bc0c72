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
  const char *root, *log;  /* the folder that is served; the log file, or NULL */
  long long port, domains; /* the port, or 0 for any; the number of threads that serve */
  long long connections;   /* the largest number of connections at a time, in each domain */
  long long idle;          /* how many ns a connection may be idle */
  long long timeout;       /* how many ns a client may need to send a request, or to receive some part of an answer */
  long long largest_body;  /* the largest body of a request in bytes; a body is read and dropped */
};
extern struct settings settings;
extern bool stopping; /* no new requests are served; main writes it and all domains read it */

/* ---- request.c: a request, which comes in pieces ---- */

enum { HEAD_SIZE = 8192, FIELDS = 100 };

struct request {
  llhttp_t parser;
  bool begun, head_over, complete; /* some of the request, all of its head, all of it has come */
  int refused;                     /* the status of the answer to a request that cannot be understood, or 0 */
  int fields;                      /* how many fields of the head have come */
  size_t begin, used;              /* where in `text` the current part begins, and how many bytes are used */
  long long body;                  /* how many bytes of the body have come */
  struct {
    const char *name, *value;
  } field[FIELDS];
  char text[HEAD_SIZE]; /* what stands behind GET, as it was sent; then the names and values */
};
void request_begin(struct request *);
/* Takes bytes in until the request is complete or refused, and returns how many it has taken. */
size_t request_take(struct request *, const char *bytes, size_t n);
/* Returns the value of the field with this name, or NULL if the request has none. */
const char *request_field(const struct request *, const char *name);

/* ---- file.c: the files under the root, of which the small ones are kept in memory ---- */

struct file {
  char *content;  /* the content if it is in memory, or NULL */
  int fd;         /* an open descriptor, or -1 if the content is in memory */
  unsigned users; /* how many have opened it; the cache counts as one */
  off_t size;
  time_t modified;
  ino_t inode;
  int64_t looked; /* the time, on the clock of ch_now, when it was last compared with the disk */
  char etag[48];
  /* The lines of an answer's head that depend on the file alone: those that an answer without content has too,
   * those that describe the content, and the length of the whole content. */
  char validators[256], description[96], length[48];
  char path[]; /* where it lies, and its key in the cache */
};
/* Opens the file that the target names, or its compressed form if the client accepts that. It waits for the disk if the
 * file is not in the cache. Returns 0, and the caller closes the file later; or the status of the answer: 301 (a folder
 * without a slash), 400, 403, 404 or 500. */
int file_open(struct file **, const char *target, const char *accepted);
void file_close(struct file *);
void files_forget(void);
enum { LONGEST_PATH = 2048 }; /* of a target, decoded */

/* ---- tls.c: connections that are encrypted ---- */

struct connection {
  int fd;
  uint32_t address;   /* the client's, in network order */
  struct ssl_st *tls; /* NULL: the connection is not encrypted */
};
/* Says which certificate and key prove who this is. Ends the program if they cannot be used. */
void tls_load(const char *certificate, const char *key);
/* To be called when the first bytes of a connection are there. If they begin TLS, all that follows is encrypted. False:
 * the two sides could not agree. */
bool tls_begin(struct connection *);
/* Like read and write. If tls_read is not to wait and nothing is there, it fails with EAGAIN. */
ssize_t tls_read(struct connection *, void *, size_t, bool waits);
ssize_t tls_write(struct connection *, const void *, size_t);
/* Tells the client that nothing follows. */
void tls_end(struct connection *);

/* ---- answer.c: what is sent ---- */

/* What was written for a client and was not sent yet. */
struct output {
  struct connection *to;
  bool failed; /* the client has gone, or is too slow */
  size_t used;
  char bytes[16384];
};
void output_flush(struct output *);

/* Answers the request, and returns the status. When it returns, the kernel has the bytes of a large file; all else is
 * in the output. `last`: no other answer follows on the connection. `*sent` becomes the length of the content. */
int answer(struct output *, const struct request *, bool last, long long *sent);
/* Answers with a page about the status, and returns the status. */
int answer_status(struct output *, int status, bool last, bool head_only, const char *more_fields);
/* Writes the time as HTTP has it, and returns `text`. */
const char *http_date(time_t, char text[static 32]);

/* ---- connection.c ---- */

/* Serves the client until it has gone, has been idle for too long, or the scope is cancelled. A request that has begun
 * is answered in any case. Closes the descriptor. */
void serve(int connection, uint32_t address);

/* ---- log.c ---- */

/* Each domain opens the log for itself. */
void log_open(void);
void log_request(uint32_t address, const struct request *, int status, long long sent, int64_t began);

#endif
