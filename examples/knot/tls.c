/* Connections that may be encrypted, by OpenSSL as it is installed. */
#include "knot.h"
#include <charcoal/openssl.h>
#include <sys/socket.h>

static SSL_CTX *context;

void tls_load(const char *certificate, const char *key) {
  context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_use_certificate_chain_file(context, certificate) == 1 &&
      SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1)
    return;
  fprintf(stderr, "knot: cannot use %s and %s\n", certificate, key);
  ERR_print_errors_fp(stderr);
  exit(2);
}

bool tls_begin(struct connection *c) {
  unsigned char first;
  bool accepted = false;
  if (!context || recv(c->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1 || first != 22)
    return true;
  if (!(c->tls = ch_ssl_new(context, c->fd)))
    return false;
  within(settings.timeout) do accepted = ch_ssl_accept(c->tls) > 0;
  finish;
  return accepted;
}

ssize_t tls_read(struct connection *c, void *to, size_t n, bool waits) {
  return c->tls ? ch_ssl_read(c->tls, to, (int)n, waits ? 0 : CH_SSL_DONTWAIT)
                : recv(c->fd, to, n, waits ? 0 : MSG_DONTWAIT);
}

bool tls_has_more(const struct connection *c) { return c->tls && SSL_has_pending(c->tls); }

ssize_t tls_write(void *connection, const void *from, size_t n) {
  struct connection *c = connection;
  return ch_ssl_write(c->tls, from, (int)n);
}

void tls_end(struct connection *c) {
  if (c->tls)
    ch_ssl_end(c->tls);
}
