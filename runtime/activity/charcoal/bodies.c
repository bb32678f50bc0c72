/* The statements of the dialect as functions (charcoal/bodies.h), in Charcoal C. */
#include "charcoal.h"
#include <charcoal/bodies.h>
#include <charcoal/dialect.h>

void ch_activate_body(ch_activity *handle, void (*body)(void *), void *argument) { activate [handle] body(argument); }

void ch_atomic_body(void (*body)(void *), void *argument) { atomic body(argument); }

void ch_finish_body(void (*body)(void *), void *argument) {
  do
    body(argument);
  finish;
}

void ch_within_body(int64_t duration, void (*body)(void *), void *argument) {
  within (duration) do
    body(argument);
  finish;
}

void ch_noncancellable_body(void (*body)(void *), void *argument) { noncancellable body(argument); }
