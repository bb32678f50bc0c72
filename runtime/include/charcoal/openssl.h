/* OpenSSL for activities: calls of the installed OpenSSL that wait for the descriptor as other blocking calls do.
 *
 *   SSL *ssl = ch_ssl_new(context, connection);
 *   within (10 * second) do accepted = ch_ssl_accept(ssl) > 0; finish;
 *   while ((n = ch_ssl_read(ssl, bytes, sizeof bytes, 0)) > 0) ...
 *
 * OpenSSL keeps one list of errors for each thread. Each function therefore makes OpenSSL's call and asks for its error
 * in one atomic block, so that no call of another activity can come between them. The functions are compiled into the
 * program that includes this header, which has to be linked with -lssl -lcrypto. Only one activity at a time may use a
 * connection.
 *
 * Result: what OpenSSL's call has returned, if it has done something or the other side has sent its end of data; or -1,
 * and errno is ECANCELED: the call has done nothing; EPROTO: OpenSSL's list of errors has the reason; or the error of
 * the descriptor. Functions that return something else say so.
 * Cancel: ends the wait of a call with -1 and errno ECANCELED.
 * Threads: any thread with a domain; a connection stays in one domain. */
#ifndef CHARCOAL_OPENSSL_H
#define CHARCOAL_OPENSSL_H

#include <charcoal.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the context of a server's connections from two files in PEM: the certificate with its chain, and the key. The
 * caller frees the result by SSL_CTX_free. The domain stands still while OpenSSL reads the files.
 * Result: the context; NULL: OpenSSL's list of errors has the reason.
 * Cancel: has no effect on it. */
CH_INLINE SSL_CTX *ch_ssl_server(const char *certificate, const char *key) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (!context)
    return NULL;
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_use_certificate_chain_file(context, certificate) == 1 &&
      SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1)
    return context;
  SSL_CTX_free(context);
  return NULL;
}

/* Tells whether the first byte that has come on a connection begins TLS, for a port that serves both kinds. It takes
 * nothing from the connection. Never blocks.
 * Result: non-zero if so; 0 also if no byte has come. */
CH_INLINE int ch_ssl_begins(int connection) {
  unsigned char first;
  return recv(connection, &first, 1, MSG_PEEK | MSG_DONTWAIT) == 1 && first == 22;
}

/* Private. Makes the descriptor non-blocking: the calls below are atomic, so one that blocked would stop the thread. */
CH_INLINE void ch_ssl_unblock(SSL *ssl) {
  int fd = SSL_get_fd(ssl);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* Makes the TLS side of a connection, whose descriptor becomes non-blocking. The caller frees the result by ch_ssl_end,
 * and closes the descriptor itself. Never blocks.
 * Result: the connection for OpenSSL's calls; NULL: OpenSSL's list of errors has the reason. */
CH_INLINE SSL *ch_ssl_new(SSL_CTX *context, int connection) {
  SSL *ssl = SSL_new(context);
  if (ssl && !SSL_set_fd(ssl, connection)) {
    SSL_free(ssl);
    ssl = NULL;
  }
  if (ssl)
    ch_ssl_unblock(ssl);
  return ssl;
}

/* Private. */
enum ch_ssl_call { CH_SSL_ACCEPT, CH_SSL_CONNECT, CH_SSL_READ, CH_SSL_WRITE };
CH_INLINE int ch_ssl_try(SSL *ssl, enum ch_ssl_call call, void *bytes, int n, int *error) {
  int result;
  atomic {
    ERR_clear_error();
    result = call == CH_SSL_ACCEPT    ? SSL_accept(ssl)
             : call == CH_SSL_CONNECT ? SSL_connect(ssl)
             : call == CH_SSL_READ    ? SSL_read(ssl, bytes, n)
                                      : SSL_write(ssl, bytes, n);
    *error = SSL_get_error(ssl, result);
  }
  return result;
}
CH_INLINE int ch_ssl_call(SSL *ssl, enum ch_ssl_call call, void *bytes, int n, int waits) {
  for (;;) {
    int error, result = ch_ssl_try(ssl, call, bytes, n, &error);
    if (result > 0 || error == SSL_ERROR_ZERO_RETURN)
      return result;
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
      return errno = EPROTO, -1;
    if (!waits)
      return errno = EAGAIN, -1;
    int came = ch_fd_wait(SSL_get_fd(ssl), error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, CH_FOREVER);
    if (came < 0)
      return errno = -came, -1;
  }
}

/* Make the handshake as SSL_accept does for a server, and SSL_connect for a client. They wait for the other side. If
 * the connection was made by OpenSSL's own calls, they make its descriptor non-blocking. */
CH_INLINE int ch_ssl_accept(SSL *ssl) {
  ch_ssl_unblock(ssl);
  return ch_ssl_call(ssl, CH_SSL_ACCEPT, NULL, 0, 1);
}
CH_INLINE int ch_ssl_connect(SSL *ssl) {
  ch_ssl_unblock(ssl);
  return ch_ssl_call(ssl, CH_SSL_CONNECT, NULL, 0, 1);
}

/* Reads up to n bytes as SSL_read does, and waits until there are some. With the flag CH_SSL_DONTWAIT it does not wait,
 * and fails with EAGAIN if there are none. A program that waits for the descriptor by itself has to ask SSL_has_pending
 * before, because OpenSSL may have read more than it has returned. */
#define CH_SSL_DONTWAIT 1
CH_INLINE int ch_ssl_read(SSL *ssl, void *to, int n, int flags) {
  return ch_ssl_call(ssl, CH_SSL_READ, to, n, !(flags & CH_SSL_DONTWAIT));
}

/* Writes up to n bytes as SSL_write does, and waits until the other side takes some. */
CH_INLINE int ch_ssl_write(SSL *ssl, const void *from, int n) {
  return ch_ssl_call(ssl, CH_SSL_WRITE, (void *)from, n, 1);
}
/* Does the same as ch_ssl_write. It is meant for the member `write` of a ch_output whose `to` is the SSL. */
CH_INLINE ssize_t ch_ssl_output(void *ssl, const void *from, size_t n) {
  return ch_ssl_write((SSL *)ssl, from, (int)n);
}

/* Sends the end of data to the other side, and frees what ch_ssl_new has made, but does not close the descriptor. With
 * NULL it does nothing. Never blocks. */
CH_INLINE void ch_ssl_end(SSL *ssl) {
  if (!ssl)
    return;
  atomic {
    ERR_clear_error();
    SSL_shutdown(ssl);
    SSL_free(ssl);
  }
}

#ifdef __cplusplus
}
#endif

#endif
