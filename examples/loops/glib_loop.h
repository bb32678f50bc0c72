// A Charcoal domain inside a GLib main context: a GSource that calls the functions of charcoal/loop.h.
#ifndef GLIB_LOOP_H
#define GLIB_LOOP_H

#include <charcoal.h>
#include <charcoal/loop.h>
#include <glib.h>

static inline gboolean guest_prepare(GSource *source, gint *timeout_ms) {
  int64_t ns = ch_loop_timeout();
  (void)source;
  *timeout_ms = ns < 0 || ns > G_MAXINT32 * INT64_C(1000000) ? -1 : (gint)((ns + 999999) / 1000000);
  return ns == 0;
}
static inline gboolean guest_check(GSource *source) {
  (void)source;
  return ch_loop_timeout() == 0; // ch_loop_timeout has looked for what is ready
}
static inline gboolean guest_dispatch(GSource *source, GSourceFunc callback, gpointer data) {
  (void)source, (void)callback, (void)data;
  ch_loop_step();
  return G_SOURCE_CONTINUE;
}

// The domain's activities run in the context's iterations until g_source_destroy of the result. NULL: errno says why.
static inline GSource *guest_join(GMainContext *context) {
  static GSourceFuncs functions = {guest_prepare, guest_check, guest_dispatch, NULL, NULL, NULL};
  int fd = ch_loop_fd();
  if (fd < 0)
    return NULL;
  GSource *source = g_source_new(&functions, sizeof *source);
  g_source_add_unix_fd(source, fd, G_IO_IN);
  g_source_attach(source, context);
  return source;
}

#endif
