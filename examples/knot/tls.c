/* Encrypted connections, by OpenSSL as it is installed. Its calls never wait here, because the socket does not; between
 * them the activity waits for the descriptor. */
#include "knot.h"
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static SSL_CTX *context;

void tls_load(const char *certificate, const char *key) {
  context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_use_certificate_chain_file(context, certificate) == 1 &&
      SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1)
    return;
  unsigned long error = ERR_peek_error(); /* OpenSSL has no words for an error of the system */
  const char *reason = ERR_SYSTEM_ERROR(error) ? strerror(ERR_GET_REASON(error)) : ERR_reason_error_string(error);
  fprintf(stderr, "knot: cannot use %s and %s: %s\n", certificate, key, reason);
  exit(2);
}

enum operation { ACCEPT, READ, WRITE };

/* Makes the call again and again until it has done something. OpenSSL notes errors for each thread, so nobody may come
 * between a call and the question how it went. */
static int repeat(struct connection *c, enum operation what, void *bytes, size_t n, bool waits) {
  for (;;) {
    int result, error;
    atomic {
      ERR_clear_error();
      result = what == READ    ? SSL_read(c->tls, bytes, (int)n)
               : what == WRITE ? SSL_write(c->tls, bytes, (int)n)
                               : SSL_accept(c->tls);
      error = SSL_get_error(c->tls, result);
    }
    if (result > 0 || error == SSL_ERROR_ZERO_RETURN)
      return result;
    bool wants_more = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
    errno = wants_more ? EAGAIN : EPROTO;
    if (!wants_more || !waits)
      return -1;
    int came = ch_fd_wait(c->fd, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, CH_FOREVER);
    if (came <= 0) {
      errno = -came;
      return -1;
    }
  }
}

bool tls_begin(struct connection *c) {
  unsigned char first;
  bool accepted = false;
  if (!context || recv(c->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1 || first != 22)
    return true;
  fcntl(c->fd, F_SETFL, O_NONBLOCK);
  if (!(c->tls = SSL_new(context)) || !SSL_set_fd(c->tls, c->fd))
    return false;
  within(settings.timeout) do accepted = repeat(c, ACCEPT, NULL, 0, true) > 0;
  finish;
  return accepted;
}

ssize_t tls_read(struct connection *c, void *to, size_t n, bool waits) { return repeat(c, READ, to, n, waits); }

ssize_t tls_write(struct connection *c, const void *from, size_t n) { return repeat(c, WRITE, (void *)from, n, true); }

void tls_end(struct connection *c) {
  atomic {
    ERR_clear_error();
    SSL_shutdown(c->tls);
    SSL_free(c->tls);
  }
  c->tls = NULL;
}
