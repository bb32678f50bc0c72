/* Publish and subscribe. A client that subscribes gets an activity of its own that sends what is published. A client
 * that reads too slowly is dropped, so that it neither makes the others wait nor fills the memory. */
#include "kv.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { MOST_UNSENT = 32 << 20 };

struct subscription {
  struct subscription *prev, *next; /* in the list of all clients' subscriptions */
  struct subscription *of_client;   /* the next one of the same client */
  struct client *client;
  bool pattern;
  size_t size;
  char name[];
};
static struct subscription *all;

static struct subscription **place_of(struct client *c, struct text name, bool pattern) {
  struct subscription **s = &c->subscriptions;
  while (*s && ((*s)->pattern != pattern || (*s)->size != name.size || memcmp((*s)->name, name.at, name.size) != 0))
    s = &(*s)->of_client;
  return s;
}

static void confirm(struct client *c, const char *what, struct text name) {
  add_array(&c->out, 3);
  add_text(&c->out, what, strlen(what));
  if (name.at)
    add_text(&c->out, name.at, name.size);
  else
    add_nothing(&c->out);
  add_number(&c->out, c->subscribed);
}

void subscribe(struct client *c, struct text name, bool pattern) {
  struct subscription **place = place_of(c, name, pattern);
  if (!*place) {
    struct subscription *s = malloc(sizeof *s + name.size + 1);
    *s = (struct subscription){.client = c, .pattern = pattern, .size = name.size};
    memcpy(s->name, name.at, name.size);
    s->name[name.size] = '\0';
    DL_APPEND(all, s);
    *place = s;
    c->subscribed++;
  }
  confirm(c, pattern ? "psubscribe" : "subscribe", name);
}

static void drop_subscription(struct client *c, struct subscription **place) {
  struct subscription *s = *place;
  *place = s->of_client;
  DL_DELETE(all, s);
  free(s);
  c->subscribed--;
}

void unsubscribe(struct client *c, struct text name, bool pattern) {
  struct subscription **place = place_of(c, name, pattern);
  if (*place)
    drop_subscription(c, place);
  confirm(c, pattern ? "punsubscribe" : "unsubscribe", name);
}

void unsubscribe_all(struct client *c, bool pattern, bool tell) {
  bool any = false;
  for (struct subscription **s = &c->subscriptions; *s;)
    if ((*s)->pattern == pattern) {
      char *name = strndup((*s)->name, (*s)->size);
      size_t size = (*s)->size;
      drop_subscription(c, s);
      if (tell)
        confirm(c, pattern ? "punsubscribe" : "unsubscribe", (struct text){name, size});
      free(name);
      any = true;
    } else {
      s = &(*s)->of_client;
    }
  if (tell && !any)
    confirm(c, pattern ? "punsubscribe" : "unsubscribe", (struct text){0});
}

void tell_sender(struct client *c) {
  if (!c->told)
    ch_sem_post(&c->published);
  c->told = true;
}

int publish(struct text name, struct text message) {
  char *whole = strndup(name.at, name.size);
  int heard = 0;
  struct subscription *s;
  DL_FOREACH(all, s) {
    if (s->pattern ? fnmatch(s->name, whole, 0) != 0 : s->size != name.size || memcmp(s->name, name.at, name.size) != 0)
      continue;
    struct client *c = s->client;
    struct buffer *to = &c->letters;
    heard++;
    if (c->overflowed)
      continue;
    if (to->used + message.size > MOST_UNSENT) {
      c->overflowed = true;
      shutdown(c->descriptor, SHUT_RDWR); /* ends whatever the client's activities wait for */
      continue;
    }
    add_array(to, s->pattern ? 4 : 3);
    add_text(to, s->pattern ? "pmessage" : "message", s->pattern ? 8 : 7);
    if (s->pattern)
      add_text(to, s->name, s->size);
    add_text(to, name.at, name.size);
    add_text(to, message.at, message.size);
    tell_sender(c);
  }
  free(whole);
  return heard;
}
