/* What objects that are local or shared do seldom. See object.h. */
#include "sync/object.h"
#include <stdio.h>
#include <unistd.h>

void ch_object_claim(struct ch_object *o, const char *what) {
  const void *nobody = NULL;
  if (__atomic_compare_exchange_n(&o->domain, &nobody, &ch_domain, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  fprintf(stderr,
          "charcoal: the %s at %p is local to the domain that has used it first, and another domain uses it now; make "
          "it with its ..._init_shared, or with the flag CH_SHARED, so that all domains may use it\n",
          what, (void *)o);
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}

/* Structures of two to four words are copied as two halves, which may overlap. */
void ch_object_copy_other(void *to, const void *from, size_t size) {
  struct half {
    char bytes[16];
  } first, last;
  if (size < sizeof first || size > 2 * sizeof first) {
    memcpy(to, from, size);
    return;
  }
  const size_t at = size - sizeof last;
  memcpy(&first, from, sizeof first);
  memcpy(&last, (const char *)from + at, sizeof last);
  memcpy(to, &first, sizeof first);
  memcpy((char *)to + at, &last, sizeof last);
}
