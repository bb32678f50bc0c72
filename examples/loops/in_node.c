// Straight-line code inside Node's loop, as an addon: `exchange(name)` talks over a socket pair and returns a promise.
//
// Each call is an activity. Node's own loop, which is libuv's, goes on meanwhile (uv_loop.h). JavaScript must not run
// on the stack of an activity. Therefore the answer is handed to the loop by uv_async_send, and the loop resolves the
// promise.
#include <charcoal.h>
#include <node_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "uv_loop.h"

struct call {
  napi_env env;
  napi_deferred promise;
  char name[100], answer[120];
  struct call *next;
};

static struct guest guest;
static uv_async_t answers;
static struct call *answered;
static unsigned calls; // under way; the loop ends when there is none, and Node's own work is done

static void serve(int fd) {
  char name[100], text[120];
  ssize_t n = read(fd, name, sizeof name - 1);
  name[n < 0 ? 0 : n] = 0;
  ch_sleep(1000000);
  n = snprintf(text, sizeof text, "hello, %s", name);
  if (write(fd, text, (size_t)n) != n)
    perror("write");
  close(fd);
}

static void ask(const char *name, char *answer, size_t size) {
  int pair[2];
  ssize_t n = 0;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
    do {
      async serve(pair[1]);
      if (write(pair[0], name, strlen(name)) > 0)
        n = read(pair[0], answer, size - 1);
    }
    finish;
    close(pair[0]);
  }
  answer[n < 0 ? 0 : n] = 0;
}

static void resolve(napi_env env, napi_deferred promise, const char *text) {
  napi_handle_scope scope;
  napi_callback_scope callback;
  napi_async_context context;
  napi_value name, value, resource;
  napi_open_handle_scope(env, &scope);
  napi_create_string_utf8(env, "charcoal", NAPI_AUTO_LENGTH, &name);
  napi_create_object(env, &resource);
  napi_async_init(env, resource, name, &context);
  napi_open_callback_scope(env, resource, context, &callback);
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  napi_resolve_deferred(env, promise, value);
  napi_close_callback_scope(env, callback);
  napi_async_destroy(env, context);
  napi_close_handle_scope(env, scope);
}

static void count_calls(int by) {
  calls += (unsigned)by;
  (calls ? uv_ref : uv_unref)((uv_handle_t *)&answers);
}

// Called by the loop.
static void deliver(uv_async_t *handle) {
  (void)handle;
  while (answered) {
    struct call *c = answered;
    answered = c->next;
    count_calls(-1);
    resolve(c->env, c->promise, c->answer);
    free(c);
  }
}

static napi_value exchange(napi_env env, napi_callback_info info) {
  napi_value argument, promise;
  size_t count = 1;
  struct call *c = calloc(1, sizeof *c);
  c->env = env;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  napi_get_value_string_utf8(env, argument, c->name, sizeof c->name, NULL);
  napi_create_promise(env, &c->promise, &promise);
  count_calls(1);
  activate(c) {
    ask(c->name, c->answer, sizeof c->answer);
    c->next = answered;
    answered = c;
    uv_async_send(&answers);
  }
  return promise;
}

static napi_value init(napi_env env, napi_value exports) {
  uv_loop_t *loop;
  napi_value function;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok || guest_join(&guest, loop) != 0 ||
      uv_async_init(loop, &answers, deliver) != 0) {
    napi_throw_error(env, NULL, "this loop has no room for a domain");
    return NULL;
  }
  uv_unref((uv_handle_t *)&guest.before);
  uv_unref((uv_handle_t *)&guest.news);
  uv_unref((uv_handle_t *)&guest.due);
  count_calls(0);
  napi_create_function(env, "exchange", NAPI_AUTO_LENGTH, exchange, NULL, &function);
  napi_set_named_property(env, exports, "exchange", function);
  return exports;
}
NAPI_MODULE(charcoal_example, init)
