"""Random programs whose result does not depend on who runs when, so that they can be run in any way: with real
reactors, slices of a microsecond, in stress mode with several activities, and several of them at once, each in a domain
of its own.

They have the statements of generate.py but for those by which one branch sees how far another is. Every async and
activate body has its own copies of all variables; a semaphore that somebody waits for is posted sooner or later by a
*feeder*, which is another activity of the domain or another domain; a scope is cancelled before anything else happens
in it, or not at all; and nothing waits in atomic blocks. Beyond the reference's statements there are calls of small
functions that wait for the world outside (HELPERS), whose results are known.

So each line that a program prints is decided, and only their order is not. What they are: those of the program with its
waits elided (law 11), as the reference machine runs it.
"""

from dataclasses import dataclass, replace

import charcoal_semantics as S
from c_text import HEAD, Text
from generate import Generator

ALL = ["a", "b", "d", "x"]
SEMAPHORES = 3

# What waits for the world outside does it behind a barrier, so that its result is known; and in an order that is
# right without overlap, too, because in plain code an async is a call.
HELPERS_C = r"""
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

struct run {
  ch_sem s[%d];
  volatile int waits[%d], live;
  struct ch_inbox *inbox; /* set when it may be posted to */
  int done;
  ch_waiter bye;
  ch_thread thread;
};
static void wrong(const char *what) { printf("%%s\n", what); }

static int wait_for(struct run *r, int k) {
  r->waits[k]++;
  int result = code(ch_sem_wait(&r->s[k]));
  r->waits[k]--;
  return result;
}
static void feed(struct run *r) {
  for (int k = 0; k < %d; k++)
    if (r->waits[k])
      ch_sem_post(&r->s[k]);
}
static void post_unit(void *s) { ch_sem_post(s); }
static void feed_from_afar(struct run *r) {
  struct ch_inbox *inbox = __atomic_load_n(&r->inbox, __ATOMIC_ACQUIRE);
  for (int k = 0; inbox && k < %d; k++)
    if (r->waits[k] && ch_post(inbox, post_unit, &r->s[k]))
      wrong("ch_post");
}

/* ---- what waits for the world outside ---- */

static int piped(int x) {
  int p[2], sum = 0;
  if (pipe(p))
    wrong("pipe");
  noncancellable {
    do {
      async {
        for (int i = 0; i < (x & 7); i++) {
          char c = (char)((x + i) & 63);
          if (i & 1)
            ch_sleep(1);
          if (write(p[1], &c, 1) != 1)
            wrong("write");
        }
        close(p[1]);
      }
      char c;
      while (read(p[0], &c, 1) == 1)
        sum = (sum * 3 + c) & 0xffffff;
    } finish;
  }
  close(p[0]);
  return sum;
}
static int talked(int x) {
  int p[2], got = 0;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, p))
    wrong("socketpair");
  noncancellable {
    do {
      async {
        if (x & 1)
          ch_sleep(1);
        if (write(p[1], &x, sizeof x) != sizeof x)
          wrong("write");
      }
      async {
        int question;
        if (recv(p[0], &question, sizeof question, MSG_WAITALL) != sizeof question)
          wrong("recv");
        question += 5;
        if (send(p[0], &question, sizeof question, 0) != sizeof question)
          wrong("send");
      }
      for (int have = 0, n; have < 4; have += n)
        if ((n = (int)read(p[1], (char *)&got + have, sizeof got - have)) <= 0) {
          wrong("read");
          break;
        }
    } finish;
  }
  close(p[0]), close(p[1]);
  return got;
}
static int polled(int x) {
  int p[2], events = 0;
  if (pipe(p))
    wrong("pipe");
  noncancellable {
    do {
      async {
        if (ch_fd_wait(p[0], POLLIN, 100 * (x & 3)) != 0)
          wrong("nothing was there");
        if (write(p[1], "", 1) != 1)
          wrong("write");
      }
      struct pollfd all[2] = {{p[0], POLLIN, 0}, {-1, POLLIN, 0}};
      events = poll(all, 2, -1) == 1 && all[0].revents == POLLIN;
    } finish;
  }
  close(p[0]), close(p[1]);
  return x + events;
}
static void adds_nine(void *x) { *(int *)x += 9; }
static int offloaded(int x) {
  noncancellable if (ch_offload(adds_nine, &x)) wrong("ch_offload");
  return x;
}
static void schedules(void *w) { ch_waiter_schedule(w); }
static int scheduled(int x) {
  ch_waiter there;
  memset(&there, 0, sizeof there);
  noncancellable {
    do {
      async ch_offload(schedules, &there);
      if (ch_waiter_suspend(&there))
        wrong("ch_waiter_suspend");
    } finish;
  }
  return x + 1;
}
static int late(int x) {
  ch_sem never = CH_SEM_INIT(0);
  int result = -1;
  noncancellable {
    within (1000 * (x & 7)) do result = ch_sem_wait(&never);
    finish;
  }
  return x + (result == ECANCELED ? 2 : 0);
}
static int out_of_time(int x) {
  ch_sem never = CH_SEM_INIT(0);
  int result = -1;
  noncancellable result = ch_sem_timedwait(&never, 500 * (x & 7));
  return x + (result == ETIMEDOUT ? 3 : 0);
}
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside;
static int excluded(int x) {
  noncancellable {
    pthread_mutex_lock(&mutex);
    if (inside++)
      wrong("two are inside");
    if (x & 1)
      ch_reschedule();
    if (--inside)
      wrong("two were inside");
    pthread_mutex_unlock(&mutex);
  }
  return x + 4;
}
static int told(int x) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  volatile int ready = 0;
  noncancellable {
    do {
      async {
        if (x & 1)
          ch_sleep(1);
        pthread_mutex_lock(&m);
        ready = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
      }
      pthread_mutex_lock(&m);
      while (!ready)
        pthread_cond_wait(&c, &m);
      pthread_mutex_unlock(&m);
    } finish;
  }
  pthread_cond_destroy(&c), pthread_mutex_destroy(&m);
  return x + 6;
}
""" % ((SEMAPHORES,) * 4)

MAIN_C = r"""
static void all_of_it(struct run *r, void (*begin)(struct run *), int fed) {
  r->live = 1;
  if (fed)
    activate (r) {
      while (r->live) {
        feed(r);
        ch_sleep(1);
      }
    }
  begin(r);
  r->live--;
  while (r->live)
    ch_sleep(1000);
}
static void in_a_domain(void *argument) {
  struct run *r = argument;
  __atomic_store_n(&r->inbox, ch_inbox(), __ATOMIC_RELEASE);
  all_of_it(r, begins[r - runs], (int)(r - runs) & 1);
  __atomic_store_n(&r->done, 1, __ATOMIC_RELEASE);
  ch_waiter_suspend(&r->bye);
}
int main(int argc, char **argv) {
  if (argc > 1) {
    int n = atoi(argv[1]);
    all_of_it(&runs[n], begins[n], 1);
  } else {
    int left = PROGRAMS;
    for (int n = 0; n < PROGRAMS; n++)
      if (ch_domain_start(&runs[n].thread, in_a_domain, &runs[n]))
        wrong("ch_domain_start");
    while (left) {
      for (int n = 0; n < PROGRAMS; n++)
        if (runs[n].done == 1 && __atomic_load_n(&runs[n].done, __ATOMIC_ACQUIRE)) {
          runs[n].done = 2;
          left--;
          ch_waiter_schedule(&runs[n].bye);
        } else if (!runs[n].done && !(n & 1)) {
          feed_from_afar(&runs[n]);
        }
      ch_sleep(1000);
    }
    for (int n = 0; n < PROGRAMS; n++)
      if (ch_domain_join(&runs[n].thread))
        wrong("ch_domain_join");
  }
  fflush(stdout);
  return 0;
}
"""


def piped(x):
    total = 0
    for i in range(x & 7):
        total = (total * 3 + ((x + i) & 63)) & 0xFFFFFF
    return total


HELPERS = {
    "piped": piped,
    "polled": lambda x: x + 1,
    "offloaded": lambda x: x + 9,
    "scheduled": lambda x: x + 1,
    "talked": lambda x: x + 5,
    "late": lambda x: x + 2,
    "out_of_time": lambda x: x + 3,
    "excluded": lambda x: x + 4,
    "told": lambda x: x + 6,
}


@dataclass
class Help:  # variable = helper(other)
    variable: str
    helper: str
    other: str


@dataclass
class Raw:  # a line of C that means nothing to the reference
    text: str


# ---- generating ----


ALLOWED_IN_ATOMIC = (
    *("print", "assign", "post", "reschedule", "if", "loop"),
    *("return", "break", "continue", "goto", "activate"),
)


class Confluent(Generator):
    PARTS = Generator.PARTS[:8]

    def __init__(self, seed):
        super().__init__(seed, True)
        self.parts -= {"low", "semaphores"}
        self.outside = self.random.random() < 0.7
        # Plain code that wants a mutex which an activity of its own domain holds waits for its own thread.
        self.helpers = [name for name in HELPERS if name != "excluded" or "plain" not in self.parts]

    def kinds(self, place):
        kinds = super().kinds(place)
        for kind in ("join", "cancel activity", "cancelled", "cancel", "contained"):
            kinds.pop(kind, None)
        if place.atomic:
            return {kind: n for kind, n in kinds.items() if kind in ALLOWED_IN_ATOMIC}
        return kinds

    def statement(self, place):
        r = self.random
        if self.outside and not place.atomic and r.random() < 0.12:
            return Help(self.variable(), r.choice(self.helpers), self.variable())
        s = super().statement(place)
        match s:
            case S.Wait():
                s.timeout = None
            case S.Finish(deadline=deadline) if deadline is not None:
                s.deadline = None
                s.body.insert(0, S.Cancel(s.label))
            case S.Async():
                s.copies = ALL
            case S.Activate():
                s.handle = None
            case S.Atomic(policy="contained"):
                s.policy = ""  # what is spawned in it waits, and is fed from outside
        return s

    def program(self):
        program = super().program()
        for s in program.functions[-1].body:
            if isinstance(s, S.Finish):
                s.deadline = None
        return program


def generate(seed):
    return Confluent(seed).program()


# ---- what it means ----


class Elided(S.Machine):
    """Nobody waits, so the activities run one after the other; the program ends with the last of them."""

    def outcome(self):
        self.main = None
        self.spawn(self.call(len(self.program.functions) - 1, 0, 0), self.base)
        self.loop(self.base, lambda: not self.base.queue, None)
        return self.trace

    def at_once(self, s, v, labels):
        v[s.variable] = S.CANCELLED if S.is_marked(self.current) else S.DONE
        return
        yield

    Wait = Sleep = at_once

    def Reschedule(self, s, v, labels):
        return
        yield

    def Post(self, s, v, labels):
        return
        yield

    def Help(self, s, v, labels):
        v[s.variable] = HELPERS[s.helper](v[s.other])
        return
        yield


def lines(program, number, limit=4000):
    """What it prints as program `number` of a file, in no particular order. Raises TooLong."""
    machine = Elided(program, limit)
    return sorted(f"{int(line.split()[0]) + 100000 * number} {line.split()[1]}" for line in machine.outcome())


# ---- as C ----


class ConfluentText(Text):
    def __init__(self, program, number):
        self.number, self.prefix, self.copied, self.lines = number, f"p{number}_", 0, []
        for k, function in enumerate(program.functions):
            self.function(k, function)
        inits = " ".join(f"ch_sem_init(&r->s[{k}], {count});" for k, count in enumerate(program.semaphores))
        last = f"{self.prefix}c{len(program.functions) - 1}"
        self.lines.append(f"static void {self.prefix}main(struct run *r) {{\n  {inits}\n  {last}(0, 0);\n}}")

    def statement(self, s, indent):
        run = f"runs[{self.number}]"
        match s:
            case S.Print():
                return [f"{indent}out({s.number + 100000 * self.number}, {s.variable});"]
            case S.Wait():
                return [f"{indent}{s.variable} = wait_for(&{run}, {s.semaphore});"]
            case S.Post():
                return [f"{indent}ch_sem_post(&{run}.s[{s.semaphore}]);"]
            case S.Activate():
                return [
                    f"{indent}{run}.live++;",
                    *super().statement(replace(s, body=[*s.body, Raw(f"{run}.live--;")]), indent),
                ]
            case Help():
                return [f"{indent}{s.variable} = {s.helper}({s.other});"]
            case Raw():
                return [indent + s.text]
        return super().statement(s, indent)


def c_text(programs):
    """One file: `program NUMBER` runs that one, `program` all of them at once, each in a domain. It is linked with
    c_text.MODULE."""
    n = len(programs)
    head = HEAD.replace(
        "static void out(int number, int value) { printf",
        "static void out(int number, int value) { noncancellable printf",
    )
    assert head != HEAD, "what prints is not itself cancelled"
    lines = [head, HELPERS_C, f"enum {{ PROGRAMS = {n} }};\nstatic struct run runs[{n}];"]
    for number, program in enumerate(programs):
        lines += ConfluentText(program, number).lines
    begins = ", ".join(f"p{number}_main" for number in range(n))
    lines += [f"static void (*const begins[{n}])(struct run *) = {{{begins}}};", MAIN_C]
    return "\n".join(lines)
