/* c-ares, as far as it is used here. It is loaded when the first name is looked up, so programs that look up no names
 * need not have it. */
#ifndef CHARCOAL_REACTOR_DNS_CARES_H
#define CHARCOAL_REACTOR_DNS_CARES_H

#include "frames/attributes.h"
#include <ares.h>
#include <stdbool.h>

/* The library's functions, which are there once ch_cares_available has returned true. */
struct ch_cares {
  bool loaded;
  int (*library_init)(int);
  int (*init_options)(ares_channel *, struct ares_options *, int);
  void (*destroy)(ares_channel);
  int (*set_servers)(ares_channel, const char *);
  void (*getaddrinfo)(ares_channel, const char *, const char *, const struct ares_addrinfo_hints *,
                      ares_addrinfo_callback, void *);
  void (*freeaddrinfo)(struct ares_addrinfo *);
  void (*process_fd)(ares_channel, ares_socket_t, ares_socket_t);
  struct timeval *(*timeout)(ares_channel, struct timeval *, struct timeval *);
  int (*save_options)(ares_channel, struct ares_options *, int *);
  void (*destroy_options)(struct ares_options *);
  void (*set_socket_functions)(ares_channel, const struct ares_socket_functions *, void *);
};
extern CH_HIDDEN struct ch_cares ch_cares;

/* Loads c-ares, once for all threads. Whether it is there. */
CH_HIDDEN bool ch_cares_available(void);

/* What c-ares makes its sockets with. They are the runtime's descriptors. For c-ares a socket is the slot
 * (runtime_descriptors.h), which stays the same when the descriptor gets another number. */
extern CH_HIDDEN const struct ares_socket_functions ch_cares_sockets;

#endif
