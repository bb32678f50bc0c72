/* RESP, the protocol of redis: a command is an array of strings, or a line of words. */
#include "kv.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- replies ---- */

void add_bytes(struct buffer *b, const char *bytes, size_t n) {
  if (n > b->room - b->used) {
    b->room = (b->used + n) * 2 + 1024;
    b->at = realloc(b->at, b->room);
  }
  memcpy(b->at + b->used, bytes, n);
  b->used += n;
}

/* A type, a number, and the end of the line. */
static void add_head(struct buffer *b, char type, long long n) {
  char text[24], *at = text + sizeof text;
  unsigned long long left = n < 0 ? -(unsigned long long)n : (unsigned long long)n;
  *--at = '\n';
  *--at = '\r';
  do
    *--at = (char)('0' + left % 10);
  while (left /= 10);
  if (n < 0)
    *--at = '-';
  *--at = type;
  add_bytes(b, at, (size_t)(text + sizeof text - at));
}

void add_number(struct buffer *b, long long n) { add_head(b, ':', n); }
void add_array(struct buffer *b, long long size) { add_head(b, '*', size); }
void add_nothing(struct buffer *b) { add_bytes(b, "$-1\r\n", 5); }

void add_text(struct buffer *b, const char *bytes, size_t n) {
  add_head(b, '$', (long long)n);
  add_bytes(b, bytes, n);
  add_bytes(b, "\r\n", 2);
}

void add_status(struct buffer *b, const char *text) {
  add_bytes(b, "+", 1);
  add_bytes(b, text, strlen(text));
  add_bytes(b, "\r\n", 2);
}

void add_error(struct buffer *b, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t size = n < (int)sizeof text ? (size_t)n : sizeof text - 1;
  for (size_t i = 0; i < size; i++) /* the text may contain words of the client's, but an error has to be one line */
    text[i] = text[i] == '\r' || text[i] == '\n' ? ' ' : text[i];
  add_bytes(b, "-", 1);
  add_bytes(b, text, size);
  add_bytes(b, "\r\n", 2);
}

void queue_replies(struct client *c) {
  add_bytes(&c->letters, c->out.at, c->out.used);
  c->out.used = 0;
  tell_sender(c);
}

void send_replies(struct client *c) {
  size_t done = 0;
  if (c->has_sender && c->out.used > 0)
    atomic {
      take_data();
      queue_replies(c);
      give_data_back();
    }
  while (done < c->out.used && !c->closing) {
    ssize_t put = send(c->descriptor, c->out.at + done, c->out.used - done, MSG_NOSIGNAL);
    if (put < 0)
      c->closing = true;
    else
      done += (size_t)put;
  }
  c->out.used = 0;
}

/* ---- commands ---- */

/* LARGEST: the bytes of one argument at most; MOST_BYTES: those of a whole command. */
enum { USUAL = 16384, LARGEST = 512 << 20, MOST_BYTES = 1 << 30 };

/* Buffers of usual size that no client of this domain needs now. A few are kept, because all clients that have
 * something to say take and give back theirs in turn. */
enum { SPARE = 64 };
static _Thread_local ch_may_interleave struct spare {
  char *in;
  struct buffer out;
  struct command command;
} spares[SPARE];
static _Thread_local ch_may_interleave int number_of_spares;

static void take_buffers(struct client *c) {
  if (number_of_spares > 0) {
    struct spare *s = &spares[--number_of_spares];
    c->in = s->in;
    c->out = s->out;
    c->command = s->command;
    ch_atomicity_forget(c->in, USUAL + 1); /* for -fcharcoal-atomicity: the bytes have another owner now */
    ch_atomicity_forget(c->out.at, c->out.room);
    ch_atomicity_forget(c->command.argument, (size_t)c->command.room * sizeof *c->command.argument);
  } else {
    c->in = malloc(USUAL + 1);
  }
  c->room = USUAL;
}

void give_buffers_back(struct client *c) {
  bool usual = c->in && c->room == USUAL && c->out.room <= USUAL && c->command.room <= 64;
  c->out.used = 0;
  if (usual && number_of_spares < SPARE) {
    spares[number_of_spares++] = (struct spare){c->in, c->out, c->command};
  } else {
    free(c->in);
    free(c->out.at);
    free(c->command.argument);
  }
  c->in = NULL;
  c->out = (struct buffer){0};
  c->command = (struct command){0};
}

void free_spare_buffers(void) {
  while (number_of_spares > 0) {
    struct spare *s = &spares[--number_of_spares];
    free(s->in);
    free(s->out.at);
    free(s->command.argument);
  }
}

/* Makes room for more, with what was read already in front. False: no command may be so large. */
static bool make_room(struct client *c) {
  if (c->begin > c->room / 2) {
    memmove(c->in, c->in + c->begin, c->end - c->begin);
    c->end -= c->begin;
    c->begin = 0;
    return true;
  }
  char *larger = c->room < MOST_BYTES ? realloc(c->in, c->room * 2 + 1) : NULL;
  if (larger) {
    c->in = larger;
    c->room *= 2;
  }
  return larger != NULL;
}

/* Waits for the beginning of a command. Meanwhile the client has no buffers: it is one call of read, which has a few
 * bytes of its own, so that a short command needs no other call. */
static ssize_t first_bytes(struct client *c) {
  char first[256];
  give_buffers_back(c);
  c->begin = c->end = 0;
  ssize_t got = read(c->descriptor, first, sizeof first), others = 0;
  if (got <= 0)
    return got;
  take_buffers(c);
  memcpy(c->in, first, (size_t)got);
  if (got == sizeof first)
    others = recv(c->descriptor, c->in + got, c->room - (size_t)got, MSG_DONTWAIT);
  return got + (others > 0 ? others : 0);
}

/* Reads more, after the replies have been sent. */
static bool more(struct client *c) {
  ssize_t got = 0;
  send_replies(c);
  if (!c->closing && c->begin == c->end)
    got = first_bytes(c);
  else if (!c->closing) {
    if (c->end == c->room && !make_room(c))
      return false;
    got = read(c->descriptor, c->in + c->end, c->room - c->end);
  }
  c->end += got > 0 ? (size_t)got : 0;
  return got > 0;
}

/* Where the line that begins at the offset ends; -1 while its end has not come. */
static ssize_t line_end(struct client *c, size_t from) {
  char *end = c->in ? memchr(c->in + c->begin + from, '\n', c->end - c->begin - from) : NULL;
  return end ? end - c->in - (ssize_t)c->begin : -1;
}

/* The number at the beginning of a line; above MOST_BYTES if it is that large. */
static long number(const char *line) {
  bool is_negative = *line == '-';
  long n = 0;
  for (const char *at = line + is_negative; *at >= '0' && *at <= '9' && n <= MOST_BYTES; at++)
    n = n * 10 + (*at - '0');
  return is_negative ? -n : n;
}

static void add_argument(struct command *m, const char *at, size_t size) {
  if (m->count == m->room)
    m->argument = realloc(m->argument, (size_t)(m->room = m->room * 2 + 8) * sizeof *m->argument);
  m->argument[m->count++] = (struct text){at, size};
}

/* Takes the command that stands at the beginning of what was read. 1: all of it is there, and ends at *end; 0: not yet;
 * -1: it is none. */
static int parse(struct client *c, size_t *end) {
  struct command *m = &c->command;
  ssize_t line = line_end(c, 0);
  m->count = 0;
  if (line < 0)
    return c->end - c->begin > 65536 ? -1 : 0;
  const char *text = c->in + c->begin;
  if (*text != '*') { /* words */
    for (const char *at = text, *stop = text + line; at < stop;) {
      size_t n = 0;
      while (at < stop && (*at == ' ' || *at == '\r'))
        at++;
      while (at + n < stop && at[n] != ' ' && at[n] != '\r')
        n++;
      if (n > 0)
        add_argument(m, at, n);
      at += n;
    }
    *end = (size_t)line + 1;
    return 1;
  }
  long count = number(text + 1);
  if (count > MOST_ARGUMENTS)
    return -1;
  size_t at = (size_t)line + 1;
  for (long i = 0; i < count; i++) {
    if ((line = line_end(c, at)) < 0)
      return c->end - c->begin - at > 64 ? -1 : 0;
    if (text[at] != '$')
      return -1;
    long size = number(text + at + 1);
    if (size < 0 || size > LARGEST)
      return -1;
    at = (size_t)line + 1;
    if (c->end - c->begin < at + (size_t)size + 2)
      return 0;
    if (text[at + (size_t)size] != '\r')
      return -1;
    add_argument(m, text + at, (size_t)size);
    at += (size_t)size + 2;
  }
  *end = at;
  return 1;
}

int next_command(struct client *c) {
  for (;;) {
    size_t end = 0;
    int whole = c->begin < c->end ? parse(c, &end) : 0;
    if (whole < 0)
      return -1;
    if (whole > 0) {
      c->begin += end;
      if (c->command.count > 0)
        return 1;
    } else if (!more(c)) {
      return 0;
    }
  }
}
