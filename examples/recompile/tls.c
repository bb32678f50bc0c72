/* mbedTLS against nginx with TLS: each activity does a whole handshake, checks the server's certificate, and asks for
 * an answer that the server holds back for 50 ms. */
#include "many.h"

#include <mbedtls/error.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static mbedtls_x509_crt authority;

/* No state in the program: nothing to be shared, nothing to be locked. */
static int random_bytes(void *unused, unsigned char *to, size_t n) {
  (void)unused;
  return getrandom(to, n, 0) == (ssize_t)n ? 0 : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

static int fails(int i, const char *what, int error) {
  char text[100];
  mbedtls_strerror(error, text, sizeof text);
  return wrong(i, "%s: %s", what, text);
}

/* Sends the question and reads until the server has said that this is all. Returns the length, or an error < 0. */
static int ask(mbedtls_ssl_context *tls, int i, char *answer, int room) {
  char question[100];
  int n = snprintf(question, sizeof question, "GET /slow?i=%d HTTP/1.0\r\n\r\n", i), got = 0;
  int r = mbedtls_ssl_write(tls, (unsigned char *)question, (size_t)n);
  while (r > 0 && got < room - 1) {
    r = mbedtls_ssl_read(tls, (unsigned char *)answer + got, (size_t)(room - 1 - got));
    if (r > 0)
      got += r;
  }
  answer[got] = 0;
  return r == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY || r == 0 ? got : r;
}

/* Whether it is status 200 and 300 times the line. */
static int is_right(const char *answer, int i) {
  char line[40];
  const char *body = strstr(answer, "\r\n\r\n");
  size_t length = (size_t)snprintf(line, sizeof line, "answer to number %d;", i);
  if (strncmp(answer, "HTTP/1.1 200 ", 13) != 0 || !body || strlen(body + 4) != 300 * length)
    return 0;
  for (int k = 0; k < 300; k++)
    if (memcmp(body + 4 + (size_t)k * length, line, length) != 0)
      return 0;
  return 1;
}

static int talk(mbedtls_ssl_context *tls, int i) {
  char answer[16000];
  int r = mbedtls_ssl_handshake(tls);
  if (r)
    return fails(i, "handshake", r);
  r = ask(tls, i, answer, sizeof answer);
  if (r < 0)
    return fails(i, "answer", r);
  mbedtls_ssl_close_notify(tls);
  return is_right(answer, i) || wrong(i, "wrong answer: %.60s", answer);
}

static int one(const struct many *what, int i) {
  char port[20];
  mbedtls_net_context net;
  mbedtls_ssl_config config;
  mbedtls_ssl_context tls;
  snprintf(port, sizeof port, "%d", what->port);
  mbedtls_net_init(&net);
  mbedtls_ssl_config_init(&config);
  mbedtls_ssl_init(&tls);
  mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
  mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_ca_chain(&config, &authority, NULL);
  mbedtls_ssl_conf_rng(&config, random_bytes, NULL);
  int r = mbedtls_ssl_setup(&tls, &config);
  if (!r)
    r = mbedtls_ssl_set_hostname(&tls, "localhost");
  if (!r)
    r = mbedtls_net_connect(&net, "127.0.0.1", port, MBEDTLS_NET_PROTO_TCP);
  mbedtls_ssl_set_bio(&tls, &net, mbedtls_net_send, mbedtls_net_recv, NULL);
  int right = r ? fails(i, "connect", r) : talk(&tls, i);
  mbedtls_ssl_free(&tls);
  mbedtls_ssl_config_free(&config);
  mbedtls_net_free(&net);
  return right;
}

int main(int argc, char **argv) {
  const char *file = getenv("TLS_AUTHORITY");
  struct many what = many_arguments(argc, argv);
  int r = mbedtls_x509_crt_parse_file(&authority, file ? file : "authority.pem");
  if (r) {
    fprintf(stderr, "%s: no certificate in the file that TLS_AUTHORITY names (%d)\n", argv[0], r);
    return 2;
  }
  int status = many(&what, one);
  mbedtls_x509_crt_free(&authority);
  return status;
}
