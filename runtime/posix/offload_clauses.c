/* The clause forms of calls that a thread of the pool makes: ch_offload, getaddrinfo (charcoal/clauses.h).
 *
 * Each clause has an operation, in memory of its own, whose end calls a callback. If the clause is not selected the
 * operation is cancelled: if it has not begun it never begins, and otherwise it is abandoned (reactor/operation.h).
 *
 * Invariant: while a clause is listed its work is under way, and leads back to it. */
#define _GNU_SOURCE
#include "charcoal/clauses.h"
#include "charcoal/offload.h"
#include "offload/pool.h"
#include "posix/hosts.h"
#include "posix/names.h"
#include "posix/operate.h"
#include <errno.h>
#include <stdlib.h>

typedef struct ch_pool_clause call_t;

struct work {
  struct ch_operation op;
  call_t *call; /* NULL: nobody waits for it any more */
};
_Static_assert(offsetof(struct work, op) == 0 && offsetof(struct ch_operation, clause) == 0, "a clause is its work");

static call_t *of(struct ch_clause *c) { return (call_t *)c; }

struct pool_type {
  struct ch_clause_type clause;
  /* The work is done, or was refused (`outcome` is -error). It returns the call's result, in the domain, as the
   * clause's effect. */
  int (*done)(call_t *, long outcome);
  /* The work is done, but nobody wants the result any more. NULL: there is nothing to do. */
  void (*drop)(call_t *);
};
static const struct pool_type *type_of(const call_t *call) { return (const struct pool_type *)call->clause.type; }

static void ended(struct ch_clause *c) {
  struct work *w = (struct work *)c;
  call_t *call = w->call;
  long outcome = (long)c->value;
  free(w);
  if (!call)
    return;
  call->work = NULL;
  if (!ch_claim_begin(&call->clause)) {
    if (type_of(call)->drop)
      type_of(call)->drop(call);
    return;
  }
  call->clause.value = type_of(call)->done(call, outcome);
  ch_claim_end(&call->clause, true);
  ch_wake(&call->clause);
}

/* Begins it; what `request` leads to is the work's from now on. */
static int begin(call_t *call, const struct ch_request *request) {
  struct work *w = calloc(1, sizeof *w);
  long outcome = -ENOMEM;
  if (w) {
    w->call = call;
    w->op.request = *request;
    if (ch_operation_start(&w->op)) {
      call->work = w;
      ch_clause_watched(&w->op.clause, ended);
      return CH_CLAUSE_LISTED;
    }
    outcome = (long)w->op.clause.value;
    free(w);
  }
  call->clause.value = type_of(call)->done(call, outcome);
  return CH_CLAUSE_READY;
}

static bool withdraw(struct ch_clause *c) {
  struct work *w = of(c)->work;
  if (ch_clause_state(c) >= CH_IS_TAKEN)
    return false;
  if (w) {
    w->call = NULL;
    ch_operation_cancel(&w->op); /* this calls `ended` */
  }
  return true;
}
static bool never(const struct ch_clause *c) { return (void)c, false; }

/* ---- ch_offload ---- */

static void nothing(const struct ch_request *q) { (void)q; }
static const struct ch_operation_kind foreign_kind = {"offloaded call", ch_offload_perform, NULL,
                                                      .queue = CH_POOL_FOREIGN, .abandoned = nothing};

static int enlist_offload(struct ch_clause *c) {
  const call_t *call = of(c);
  struct ch_request q = {.kind = &foreign_kind, .fd = -1, .a = call->a, .offset = (int64_t)(uintptr_t)call->fn};
  return begin(of(c), &q);
}
static int offloaded(call_t *call, long outcome) { return (void)call, outcome < 0 ? (int)-outcome : 0; }
static const struct pool_type offload_type = {
    {.what = "offloaded call", .by = CH_BY_WORLD, .enlist = enlist_offload, .withdraw = withdraw, .ready = never},
    offloaded,
    NULL};

void ch_offload__clause(struct ch_offload__clause *c, void (*fn)(void *), void *argument) {
  c->call = (call_t){.clause.type = &offload_type.clause, .fn = fn, .a = argument};
}

/* ---- getaddrinfo ---- */

static long perform_addresses(const struct ch_request *q) { return ch_call_getaddrinfo((void *)(uintptr_t)q->a); }
static void release_addresses(const struct ch_request *q) {
  ((struct ch_abandoned *)(uintptr_t)q->a)->release((void *)(uintptr_t)q->a);
}
static const struct ch_operation_kind addresses_kind = {"getaddrinfo", perform_addresses, NULL,
                                                        .queue = CH_POOL_FOREIGN, .abandoned = release_addresses};

static int enlist_addresses(struct ch_clause *c) {
  call_t *call = of(c);
  int saved = errno;
  if (ch_name_is_plain(call->a, call->c)) {
    c->value = ch_plain_getaddrinfo(call->a, call->b, call->c, call->to);
    call->error = errno;
    errno = saved;
    return CH_CLAUSE_READY;
  }
  struct ch_request q = {.kind = &addresses_kind, .fd = -1, .a = ch_address_query(call->a, call->b, call->c)};
  if (!q.a)
    return c->value = EAI_MEMORY, CH_CLAUSE_READY;
  call->work = NULL;
  call->a = q.a;
  return begin(call, &q);
}
static void drop(call_t *call) {
  struct ch_abandoned *query = (struct ch_abandoned *)(uintptr_t)call->a;
  query->release(query);
}
static int found(call_t *call, long outcome) {
  int saved = errno, result = EAI_SYSTEM;
  if (outcome < 0) {
    drop(call);
    errno = (int)-outcome;
  } else {
    result = ch_address_query_end((struct ch_address_query *)(uintptr_t)call->a, call->to);
  }
  call->error = errno;
  errno = saved;
  return result;
}
static intptr_t with_errno(struct ch_clause *c) {
  if (c->value == EAI_SYSTEM)
    errno = of(c)->error;
  return (intptr_t)c->value;
}
static const struct pool_type addresses_type = {{.what = "names",
                                                 .by = CH_BY_WORLD,
                                                 .enlist = enlist_addresses,
                                                 .withdraw = withdraw,
                                                 .selected = with_errno,
                                                 .ready = never},
                                                found,
                                                drop};

void getaddrinfo__clause(struct getaddrinfo__clause *c, const char *node, const char *service,
                         const struct addrinfo *hints, struct addrinfo **result) {
  c->call = (call_t){.clause.type = &addresses_type.clause, .a = node, .b = service, .c = hints, .to = result};
}
