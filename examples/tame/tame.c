/* The code of "Events Can Make Sense" (Tame, USENIX 2007), figure by figure, in Charcoal C. It checks itself.
 *
 * Names of the paper are kept. These things differ: an event is event(T), a rendezvous is rendezvous(I), a slot is
 * given by its address, e.trigger(v) is ch_trigger(e, v), and timer(t, e) is ch_trigger_after(t, e). There are no
 * tvars, because every variable keeps its value across a wait. */
#include <charcoal.h>
#include <charcoal/events.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000L
#define CHECK(x) ((x) ? (void)0 : (printf("%s:%d: expected %s\n", __FILE__, __LINE__, #x), exit(1)))

typedef const char *dnsname;
typedef int ipaddr;

/* The resolver of the examples: a name is so many milliseconds away, and that is its address, too. */
static int outstanding, most_outstanding;
static tamed gethost_ev(dnsname name, event(ipaddr) e) {
  if (++outstanding > most_outstanding)
    most_outstanding = outstanding;
  ch_sleep(atoi(name) * MS);
  outstanding--;
  ch_trigger(e, atoi(name));
}

/* ---- Figure 1: three functions that print Done! after a while ---- */

static void wait_then_print_threads(void) {
  ch_sleep(1 * MS);
  puts("Done!");
}
static tamed wait_then_print_tame(event() done) {
  rendezvous() r;
  event() e = mkevent(r);
  ch_trigger_after(1 * MS, e);
  twait(r);
  puts("Done!");
  ch_trigger(done);
}
static tamed wait_then_print_simple_tame(event() done) {
  twait { ch_trigger_after(1 * MS, mkevent()); }
  puts("Done!");
  ch_trigger(done);
}
static void figure_1(void) {
  wait_then_print_threads();
  twait {
    wait_then_print_tame(mkevent());
    wait_then_print_simple_tame(mkevent());
  }
}

/* ---- Section 3.1: a trigger stores its value at once; a tamed function gives its result to an event ---- */

static tamed blockf(event(int) done) {
  ch_sleep(1 * MS);
  ch_trigger(done, 200);
}
static void section_3_1(void) {
  rendezvous() r;
  int i = 0;
  event(int) e = mkevent(r, &i);
  ch_trigger(e, 100);
  CHECK(i == 100);
  twait {
    blockf(mkevent(&i));
    CHECK(i == 100);
  }
  CHECK(i == 200);
}

/* ---- Figure 3: the same without Tame, as callbacks ---- */

struct nasty {
  dnsname *name;
  ipaddr *a;
  int n;
  event() done;
};
static void helper(struct nasty *s, ipaddr result);
static void gethost_callback(dnsname name, struct nasty *s) {
  activate(name, s) {
    ch_sleep(atoi(name) * MS);
    helper(s, atoi(name));
  }
}
static void multidns_nasty(struct nasty *s) {
  if (s->n > 0)
    gethost_callback(s->name[0], s);
  else {
    ch_trigger(s->done);
    free(s);
  }
}
static void helper(struct nasty *s, ipaddr result) {
  *s->a = result;
  s->name++, s->a++, s->n--;
  multidns_nasty(s);
}
static void multidns_callbacks(dnsname name[], ipaddr a[], int n, event() done) {
  struct nasty *s = malloc(sizeof *s);
  *s = (struct nasty){name, a, n, done};
  multidns_nasty(s);
}

/* ---- Section 3.2: one after the other, all at once, and in a window, with one signature ---- */

static tamed multidns_tame(dnsname name[], ipaddr a[], int n, event() done) {
  for (int i = 0; i < n; i++)
    twait { gethost_ev(name[i], mkevent(&a[i])); }
  ch_trigger(done);
}
static tamed multidns_par(dnsname name[], ipaddr a[], int n, event() done) {
  twait {
    for (int i = 0; i < n; i++)
      gethost_ev(name[i], mkevent(&a[i]));
  }
  ch_trigger(done);
}
#define WINDOWSIZE 2
static tamed multidns_win(dnsname name[], ipaddr a[], int n, event() done) {
  int sent = 0, recv = 0;
  rendezvous() r;
  while (recv < n)
    if (sent < n && sent - recv < WINDOWSIZE) {
      gethost_ev(name[sent], mkevent(r, &a[sent]));
      sent++;
    } else {
      twait(r);
      recv++;
    }
  ch_trigger(done);
}
/* The same with the library's function for windows. */
struct names {
  dnsname *name;
  ipaddr *a;
};
static tamed gethost_number(size_t i, void *all, event() done) {
  struct names *n = all;
  twait { gethost_ev(n->name[i], mkevent(&n->a[i])); }
  ch_trigger(done);
}
static tamed multidns_window(dnsname name[], ipaddr a[], int n, event() done) {
  struct names all = {name, a};
  ch_window((size_t)n, WINDOWSIZE, gethost_number, &all);
  ch_trigger(done);
}
static void check_multidns(void (*multidns)(dnsname[], ipaddr[], int, event()), int window) {
  dnsname names[] = {"3", "1", "2", "1"};
  ipaddr a[4] = {0};
  most_outstanding = 0;
  twait { multidns(names, a, 4, mkevent()); }
  CHECK(a[0] == 3 && a[1] == 1 && a[2] == 2 && a[3] == 1 && most_outstanding == window);
}
static void section_3_2(void) {
  check_multidns(multidns_callbacks, 0);
  check_multidns(multidns_tame, 1);
  check_multidns(multidns_par, 4);
  check_multidns(multidns_win, WINDOWSIZE);
  check_multidns(multidns_window, WINDOWSIZE);
}

/* ---- Section 3.3 and Figure 4: a timeout by hand ---- */

static bool lookup_in_time(dnsname name, int64_t limit, ipaddr *a) {
  ipaddr found = 0;
  rendezvous(bool) r;
  bool ok;
  ch_trigger_after(limit, mkevent(r, false));
  gethost_ev(name, mkevent(r, true, &found));
  twait(r, &ok);
  ch_rendezvous_cancel(r);
  if (ok)
    *a = found;
  return ok;
}

/* ---- Figure 5: an adapter that adds a timeout to an event of any function ----
 *
 * C has no templates: the adapter is for one type. It is tamed, and so has returned to its caller with the event when
 * it first waits. */

static tamed add_timeout_to(event(ipaddr) * e_base, int64_t limit, event(bool, ipaddr) e) {
  rendezvous(bool) r;
  ipaddr result = 0;
  bool rok;
  ch_trigger_after(limit, mkevent(r, false));
  *e_base = mkevent(r, true, &result);
  twait(r, &rok);
  ch_trigger(e, rok, result);
  ch_rendezvous_cancel(r);
}
static event(ipaddr) add_timeout(int64_t limit, event(bool, ipaddr) e) {
  event(ipaddr) e_base;
  add_timeout_to(&e_base, limit, e);
  return e_base;
}
static void figures_4_and_5(void) {
  ipaddr a = 0;
  bool ok = false;
  do {
    CHECK(lookup_in_time("1", 10000 * MS, &a) && a == 1);
    CHECK(!lookup_in_time("50", 1 * MS, &a) && a == 1);
    twait { gethost_ev("2", add_timeout(10000 * MS, mkevent(&ok, &a))); }
    CHECK(ok && a == 2);
    twait { gethost_ev("50", add_timeout(1 * MS, mkevent(&ok, &a))); }
    CHECK(!ok);
    cancel; /* the lookups that nobody waits for */
  }
  finish;
}

/* ---- Section 4: a function that is not tamed waits with its callers; code that blocks a thread ---- */

static int mysleep(int d) {
  twait { ch_trigger_after(d * MS, mkevent()); }
  return d;
}

static ipaddr gethostbyname_blocks(dnsname name) { return atoi(name); }
static tamed gethost_by_tfork(dnsname name, event(ipaddr) e) {
  ipaddr h;
  twait { tfork_offload(gethostbyname_blocks(name), &h); }
  ch_trigger(e, h);
}
static void section_4(void) {
  ipaddr a = 0;
  CHECK(mysleep(1) == 1);
  twait { gethost_by_tfork("7", mkevent(&a)); }
  CHECK(a == 7);
}

/* ---- Section 5 and Figure 6: the event that was forgotten ---- */

static event(ipaddr) forgotten;
static void broken(void) {
  rendezvous() r;
  ipaddr res = 0;
  forgotten = mkevent(r, &res);
  /* Whoops: forgot to twait(r)! */
}
static void figure_6(void) {
  struct ch_event_counts before, after;
  ch_event_counts(&before);
  broken();
  ch_event_counts(&after);
  CHECK(after.leaked == before.leaked + 1);
  CHECK(ch_trigger(forgotten, 5) != 0);
}

/* ---- Section 7.2: f and g in parallel, and then h ---- */

static char trace[8];
static tamed does(const char *what, int ms, event() done) {
  ch_sleep(ms * MS);
  strcat(trace, what);
  ch_trigger(done);
}
static void section_7_2(void) {
  twait {
    does("f", 2, mkevent());
    does("g", 1, mkevent());
  }
  twait { does("h", 0, mkevent()); }
  CHECK(strlen(trace) == 3 && trace[2] == 'h');
}

/* ---- Section 7.5: a lock that is acquired by an event ---- */

struct lock {
  bool held;
  unsigned first, n;
  event() queue[16];
};
static void acquire(struct lock *l, event() done) {
  if (l->held)
    l->queue[(l->first + l->n++) % 16] = done;
  else {
    l->held = true;
    ch_trigger(done);
  }
}
static void release(struct lock *l) {
  if (l->n > 0) {
    l->n--;
    ch_trigger(l->queue[l->first++ % 16]);
  } else
    l->held = false;
}

static struct lock global_lock;
static int touching, touched;
static tamed global_data_accessor(event() done) {
  twait { acquire(&global_lock, mkevent()); }
  CHECK(++touching == 1);
  ch_sleep(1 * MS);
  touching--;
  touched++;
  release(&global_lock);
  ch_trigger(done);
}
static void section_7_5(void) {
  twait {
    for (int i = 0; i < 5; i++)
      global_data_accessor(mkevent());
  }
  CHECK(touched == 5 && !global_lock.held);
}

/* ---- Section 8.2, Figures 8 and 9: what is measured there ---- */

static tamed nullfn(void) {
  int i = 0;
  i++;
  (void)i;
}
static tamed benchfn(int niter, event() done) {
  for (int i = 0; i < niter; i++)
    twait { ch_trigger_after(0, mkevent()); }
  ch_trigger(done);
}
static tamed benchfn_explicit(int niter, event() done) {
  for (int i = 0; i < niter; i++) {
    rendezvous() r;
    ch_trigger_after(0, mkevent(r));
    twait(r);
  }
  ch_trigger(done);
}
static void noop_tame(void) {}
static void benchfn_tame_thr(int niter) {
  for (int i = 0; i < niter; i++)
    twait { tfork(noop_tame()); }
}
static void section_8_2(void) {
  nullfn();
  twait {
    benchfn(100, mkevent());
    benchfn_explicit(100, mkevent());
  }
  benchfn_tame_thr(100);
}

int main(void) {
  figure_1();
  section_3_1();
  section_3_2();
  figures_4_and_5();
  section_4();
  figure_6();
  section_7_2();
  section_7_5();
  section_8_2();
  puts("every figure is as it should be");
}
