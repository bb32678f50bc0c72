"""Operations on channels, futures and locks, and scopes that are handed over, as C: see c_text.py."""

from statements import *

CODES = ["0", "ECANCELED", "ETIMEDOUT", "-2", "EPIPE", "EAGAIN", "EBUSY", "EALREADY", "EPERM", "EDEADLK", "EINVAL",
         "CH_BARRIER_LAST"]


def numbers(values):
    return ", ".join(str(int(value)) for value in values)


OBJECTS = f"""
static channel(int) c[{len(CHANNELS)}];
static future(int) f[{FUTURES}];
static ch_mutex m[{len(RECURSIVE)}];
static ch_rwlock rw[{RWLOCKS}];
static ch_permits p[{len(PERMITS)}];
static ch_latch l[{len(LATCHES)}];
static ch_cond cv[{CONDITIONS}];
static ch_barrier b_[{len(BARRIERS)}];
static const int rooms[] = {{{numbers(CHANNELS)}}}, recursive[] = {{{numbers(RECURSIVE)}}};
static const int free_[] = {{{numbers(PERMITS)}}}, counts[] = {{{numbers(LATCHES)}}}, sizes[] = {{{numbers(BARRIERS)}}};
static int64_t begin_;
#ifdef SHARED
enum {{ LOCKS = CH_SHARED }};
#define INIT_CHANNEL ch_channel_init_shared
#define INIT_FUTURE ch_future_init_shared
#else
enum {{ LOCKS = 0 }};
#define INIT_CHANNEL ch_channel_init
#define INIT_FUTURE ch_future_init
#endif
static void begin_objects(void) {{
  begin_ = ch_now();
  for (int i = 0; i < {len(CHANNELS)}; i++) INIT_CHANNEL(&c[i], rooms[i]);
  for (int i = 0; i < {FUTURES}; i++) INIT_FUTURE(&f[i]);
  for (int i = 0; i < {len(RECURSIVE)}; i++) ch_mutex_init(&m[i], LOCKS | (recursive[i] ? CH_MUTEX_RECURSIVE : 0));
  for (int i = 0; i < {RWLOCKS}; i++) ch_rwlock_init(&rw[i], LOCKS);
  for (int i = 0; i < {len(PERMITS)}; i++) ch_permits_init(&p[i], free_[i], LOCKS);
  for (int i = 0; i < {len(LATCHES)}; i++) ch_latch_init(&l[i], counts[i], LOCKS);
  for (int i = 0; i < {CONDITIONS}; i++) ch_cond_init(&cv[i], LOCKS);
  for (int i = 0; i < {len(BARRIERS)}; i++) ch_barrier_init(&b_[i], sizes[i], LOCKS);
}}
static const int codes[] = {{{", ".join(CODES)}}};
static int what(int r) {{
  for (int i = 0; i < {len(CODES)}; i++)
    if (codes[i] == r)
      return i;
  return r;
}}
static int error(int n) {{ return n < {len(CODES)} ? codes[n] : n; }}
static int since(int64_t t) {{ return t == CH_FOREVER ? {FOREVER} : (int)((t - begin_) & 0xffffff); }}
static int said(int number, int value) {{ return out(number, value), value; }}
static int *place(int number, int *p) {{ return out(number, 0), p; }}

/* 100 * how many + the sum of them */
static int batch(int r, const int *all) {{
  return r > 0 ? 100 * r + (r > 0) * all[0] + (r > 1) * all[1] + (r > 2) * all[2] : what(-r);
}}
static int send_some(int k, int n) {{
  int from[] = {{1, 2, 3}};
  return batch((int)ch_send_some(&c[k], from, n), from);
}}
static int receive_some(int k, int n) {{
  int to[3] = {{0}};
  return batch((int)ch_recv_some(&c[k], to, n), to);
}}
static int renew(int k) {{
  int r = ch_channel_destroy(&c[k]);
  return r ? what(r) : what(INIT_CHANNEL(&c[k], rooms[k]));
}}

static ch_scope *scopes[{SLOTS}];
static int here(int slot) {{
  if (scopes[slot])
    return -1;
  return (scopes[slot] = ch_scope_here()) ? slot : -1;
}}
static void not_here(int *slot) {{
  if (*slot >= 0)
    scopes[*slot] = NULL;
}}
static int summary(const ch_errors *e) {{
  int total = 0;
  for (unsigned i = 0; i < e->count && i < 4; i++)
    total = total * 7 + what(e->all[i].error);
  return e->count * 100 + what(e->first) + total * 10000;
}}
"""

CALLS = {verb: f"what({call})" for verb, call in {
    "send": "ch_send(&c[{n}], &{other})", "send value": "ch_send(&c[{n}], &(int){{{other}}})",
    "receive": "ch_recv(&c[{n}], &{other})", "try send": "ch_try_send(&c[{n}], &{other})",
    "try receive": "ch_try_recv(&c[{n}], &{other})", "close": "ch_close(&c[{n}])",
    "get": "ch_get(&f[{n}], &{other})", "set": "ch_future_set(&f[{n}], {other})",
    "fail": "ch_future_fail(&f[{n}], error({other}))", "reset": "ch_future_reset(&f[{n}])",
    "lock": "ch_lock(&m[{n}])", "hold": "ch_hold(&m[{n}])", "try lock": "ch_try_lock(&m[{n}])",
    "unlock": "ch_unlock(&m[{n}])", "destroy mutex": "ch_mutex_destroy(&m[{n}])",
    "read lock": "ch_read_lock(&rw[{n}])", "write lock": "ch_write_lock(&rw[{n}])",
    "read hold": "ch_read_hold(&rw[{n}])", "write hold": "ch_write_hold(&rw[{n}])",
    "try read lock": "ch_try_read_lock(&rw[{n}])", "try write lock": "ch_try_write_lock(&rw[{n}])",
    "rw unlock": "ch_rw_unlock(&rw[{n}])", "destroy rwlock": "ch_rwlock_destroy(&rw[{n}])",
    "take": "ch_permits_take(&p[{n}], {other})", "try take": "ch_permits_try(&p[{n}], {other})",
    "give": "ch_permits_give(&p[{n}], {other})", "destroy permits": "ch_permits_destroy(&p[{n}])",
    "latch wait": "ch_latch_wait(&l[{n}])", "latch add": "ch_latch_add(&l[{n}], {other})",
    "latch done": "ch_latch_done(&l[{n}])", "destroy latch": "ch_latch_destroy(&l[{n}])",
    "condition wait": "ch_cond_wait(&cv[{n}], &m[{other}])", "signal": "ch_cond_signal(&cv[{n}])",
    "broadcast": "ch_cond_broadcast(&cv[{n}])", "destroy condition": "ch_cond_destroy(&cv[{n}])",
    "barrier wait": "ch_barrier_wait(&b_[{n}])", "destroy barrier": "ch_barrier_destroy(&b_[{n}])",
}.items()} | {
    "length": "(int)ch_length(&c[{n}])", "is closed": "ch_is_closed(&c[{n}])", "renew": "renew({n})",
    "send some": "send_some({n}, {other})", "receive some": "receive_some({n}, {other})",
    "is set": "ch_future_is_set(&f[{n}])",
}
# In a clause the first argument prints, too, as it is evaluated.
CLAUSE_CALLS = {
    "send": "ch_send(({said}&c[{n}]), &{other})", "send value": "ch_send(({said}&c[{n}]), &(int){{{other}}})",
    "receive": "ch_recv(({said}&c[{n}]), &{other})", "get": "ch_get(({said}&f[{n}]), &{other})",
    "lock": "ch_lock(({said}&m[{n}]))", "hold": "ch_hold(({said}&m[{n}]))",
    "read lock": "ch_read_lock(({said}&rw[{n}]))",
    "write lock": "ch_write_lock(({said}&rw[{n}]))", "take": "ch_permits_take(({said}&p[{n}]), {other})",
    "latch wait": "ch_latch_wait(({said}&l[{n}]))",
    "read hold": "ch_read_hold(({said}&rw[{n}]))", "write hold": "ch_write_hold(({said}&rw[{n}]))",
    "send some": "ch_send_some(({said}&c[{n}]), all{place}_, {other})",
    "receive some": "ch_recv_some(({said}&c[{n}]), all{place}_, {other})",
}


def clause_code(call, number):
    """What makes a number of the result of the clause with this number."""
    result = f"r{number}_"
    if isinstance(call, Operate):
        return f"batch({result}, all{number}_)" if call.verb in BATCHES else f"what({result})"
    return f"code({result})"


def clause_variables(call, number):
    batch = isinstance(call, Operate) and call.verb in BATCHES
    return f"int r{number}_ = 0;" + (f" int all{number}_[3] = {{1, 2, 3}};" if batch else "")
