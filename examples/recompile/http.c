/* libcurl's easy interface against nginx: each activity asks for an answer that the server holds back for 50 ms, and
 * then sends a body, which the server sends back. */
#include "many.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct body {
  char *text;
  size_t length;
};

static size_t append(char *data, size_t size, size_t count, void *to) {
  struct body *body = to;
  size_t n = size * count;
  char *longer = realloc(body->text, body->length + n + 1);
  if (!longer)
    return 0;
  memcpy(longer + body->length, data, n);
  body->text = longer;
  body->length += n;
  longer[body->length] = 0;
  return n;
}

/* Whether the URL's answer to a GET, or to a POST of `sent`, is status 200 and the text wanted. */
static int is_answered(CURL *curl, int i, const char *url, const char *sent, const char *want) {
  struct body got = {NULL, 0};
  long status = 0;
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L); /* as with threads */
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 120L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &got);
  if (sent)
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, sent);
  CURLcode error = curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  int right = !error && status == 200 && got.text && strcmp(got.text, want) == 0;
  if (!right)
    wrong(i, "%s: %s, status %ld, %zu bytes instead of %zu", url, curl_easy_strerror(error), status, got.length,
          strlen(want));
  free(got.text);
  return right;
}

/* What the server answers to number i: it has repeated a line. */
static char *repeated(int i) {
  char line[40], *all = malloc(300 * sizeof line), *end = all;
  int length = snprintf(line, sizeof line, "answer to number %d;", i);
  for (int k = 0; all && k < 300; k++, end += length)
    memcpy(end, line, (size_t)length + 1);
  return all;
}

static int one(const struct many *what, int i) {
  char slow[100], echo[100], *text = repeated(i);
  snprintf(slow, sizeof slow, "http://127.0.0.1:%d/slow?i=%d", what->port, i);
  snprintf(echo, sizeof echo, "http://127.0.0.1:%d/echo", what->port);
  CURL *curl = curl_easy_init();
  int right = curl && text && is_answered(curl, i, slow, NULL, text) && is_answered(curl, i, echo, text, text);
  curl_easy_cleanup(curl);
  free(text);
  return right;
}

int main(int argc, char **argv) {
  struct many what = many_arguments(argc, argv);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  int status = many(&what, one);
  curl_global_cleanup();
  return status;
}
