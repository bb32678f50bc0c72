/* Loads c-ares, and makes its sockets. */
#define _GNU_SOURCE
#include "reactor/dns/cares.h"
#include "frames/interposed.h"
#include "frames/runtime_calls.h"
#include "reactor/reactor.h"
#include "reactor/runtime_descriptors.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

struct ch_cares ch_cares;

/* These are weak, because a static program has no dlopen, and then no c-ares. */
extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));

static void load(void) {
  CH_NO_CANCELLATION;
  void *library = dlopen && dlsym ? dlopen("libcares.so.2", RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library)
    return;
  struct {
    void *to;
    const char *name;
  } wanted[] = {{&ch_cares.library_init, "ares_library_init"},
                {&ch_cares.init_options, "ares_init_options"},
                {&ch_cares.destroy, "ares_destroy"},
                {&ch_cares.set_servers, "ares_set_servers_ports_csv"},
                {&ch_cares.getaddrinfo, "ares_getaddrinfo"},
                {&ch_cares.freeaddrinfo, "ares_freeaddrinfo"},
                {&ch_cares.process_fd, "ares_process_fd"},
                {&ch_cares.timeout, "ares_timeout"},
                {&ch_cares.save_options, "ares_save_options"},
                {&ch_cares.destroy_options, "ares_destroy_options"},
                {&ch_cares.set_socket_functions, "ares_set_socket_functions"}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(library, wanted[i].name);
    if (!symbol)
      return;
    memcpy(wanted[i].to, &symbol, sizeof symbol);
  }
  ch_cares.loaded = ch_cares.library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS;
}

bool ch_cares_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT; /* c-ares is not to be initialized by two threads at once */
  ch_library_once(&once, load);
  return ch_cares.loaded;
}

/* ---- sockets ---- */

static ares_socket_t make_socket(int family, int type, int protocol, void *unused) {
  (void)unused;
  return ch_add_runtime_descriptor(socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol));
}
static int close_socket(ares_socket_t slot, void *unused) {
  (void)unused;
  return ch_close_waited_for(slot), 0;
}
static int connect_socket(ares_socket_t slot, const struct sockaddr *to, ares_socklen_t size, void *unused) {
  (void)unused;
  return connect(ch_runtime_descriptor(slot), to, size);
}
static ares_ssize_t receive(ares_socket_t slot, void *to, size_t n, int flags, struct sockaddr *from,
                            ares_socklen_t *size, void *unused) {
  (void)unused;
  return recvfrom(ch_runtime_descriptor(slot), to, n, flags, from, size);
}
/* A server may have closed the connection, which is no reason for a signal to the program. */
static ares_ssize_t deliver(ares_socket_t slot, const struct iovec *pieces, int n, void *unused) {
  struct msghdr all = {.msg_iov = (struct iovec *)pieces, .msg_iovlen = (size_t)n};
  (void)unused;
  return sendmsg(ch_runtime_descriptor(slot), &all, MSG_NOSIGNAL);
}
const struct ares_socket_functions ch_cares_sockets = {make_socket, close_socket, connect_socket, receive, deliver};
