"""A program of the reference semantics as C in the dialect."""

import charcoal_semantics as S
from objects_text import CALLS, CLAUSE_CALLS, OBJECTS, clause_code, clause_variables

HEAD = """#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/lowlevel.h>
#include <charcoal/locks.h>
#include <alloca.h>
#include <errno.h>
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static ch_sem s[8];
static ch_activity handles[%d];
static int used[%d];
static ch_waiter w[%d];
static int busy[%d];
static ch_spinlock lock;
static void out(int number, int value) { printf("%%d %%d\\n", number, value); }
static int code(int r) { return r == 0 ? 0 : r == ECANCELED ? 1 : r == ETIMEDOUT ? 2 : 3; }
@OBJECTS@
/* What a cancel item does: an action and what it concerns, in one number. */
static void on_cancel(void *what) {
  int n = (int)(intptr_t)what;
  if (n >= 20)
    out(n - 20, 0);
  else if (n >= 10)
    ch_waiter_schedule(&w[n - 10]);
  else
    ch_sem_post(&s[n]);
}

/* Through plain code; not so after_setjmp, which is interruptible, and comes back by a jump over what f left. */
struct call {
  int (*f)(int, int);
  int x, result;
};
static int compare(const void *key, const void *element) {
  struct call *c = *(struct call *const *)key;
  (void)element;
  c->result = c->f(c->x, 0);
  return 0;
}
static int callback(int (*f)(int, int), int x) {
  struct call c = {f, x, -1}, *key = &c;
  int elements[2] = {0, 0};
  size_t n = 2;
  lfind(&key, elements, &n, sizeof *elements, compare);
  return c.result;
}
static int after_setjmp(int (*f)(int, int), int x) {
  jmp_buf here;
  volatile int result = -1;
  if (setjmp(here) == 0) {
    result = f(x, 0);
    longjmp(here, 1);
  }
  return result;
}
int through_module(int (*f)(int, int), int x);
#define THROUGH_callback callback
#define THROUGH_setjmp after_setjmp
#define THROUGH_module through_module

/* Memory that nothing may change. */
static void fill(void *p, size_t n, int k) {
  for (size_t i = 0; i < n; i++)
    ((unsigned char *)p)[i] = (unsigned char)(k + 7 * i);
}
static void same(const void *p, size_t n, int k, const char *what) {
  for (size_t i = 0; i < n; i++)
    if (((const unsigned char *)p)[i] != (unsigned char)(k + 7 * i)) {
      printf("%%s: byte %%zu of %%zu has changed\\n", what, i, n);
      return;
    }
}

/* How a parameter and a result may be passed. */
typedef struct { long first, second; } pair;
typedef struct { float first; double second; } floats;
typedef struct { char bytes[3]; long first; int more[7]; } big;
typedef struct { unsigned a : 24, b : 5; } bits;
typedef __int128 wide;
typedef long double extended;
static volatile int zero;
#define TO_int(v) (v)
#define TO_double(v) ((double)(v) + 0.5)
#define TO_extended(v) ((extended)(v) + 0.25L)
#define TO_wide(v) (((wide)(v) << 70) + 5)
#define TO_pair(v) ((pair){(v), ~(long)(v)})
#define TO_floats(v) ((floats){0.5f, (v)})
#define TO_bits(v) ((bits){(unsigned)(v), 21})
static inline big to_big(int v) {
  big b;
  memset(&b, 0, sizeof b);
  b.first = v, b.more[6] = v + 1, b.bytes[2] = 9;
  return b;
}
#define TO_big(v) to_big(v)
static inline int of_int(int v) { return v; }
static inline int of_double(double v) { return v - (int)v == 0.5 ? (int)v : -2; }
static inline int of_extended(extended v) { return v - (int)v == 0.25L ? (int)v : -3; }
static inline int of_wide(wide v) { return (long)v == 5 ? (int)(v >> 70) : -4; }
static inline int of_pair(pair v) { return v.second == ~v.first ? (int)v.first : -5; }
static inline int of_floats(floats v) { return v.first == 0.5f ? (int)v.second : -6; }
static inline int of_bits(bits v) { return v.b == 21 ? (int)v.a : -7; }
static inline int of_big(big v) { return v.more[6] == v.first + 1 && v.bytes[2] == 9 ? (int)v.first : -8; }
""" % (S.HANDLES, S.HANDLES, S.WAITERS, S.WAITERS)
HEAD = HEAD.replace("@OBJECTS@", OBJECTS)

# Compiled without charcoal-cc's passes.
MODULE = "int through_module(int (*f)(int, int), int x) {\n  return f(x, 0);\n}\n"

TYPES = ["int", "double", "extended", "wide", "pair", "floats", "bits", "big"]
KINDS = TYPES + ["inline", "weak", "pointer", "variadic"]
# name: declaration, check. They are filled with what depends on x alone.
LOCALS = {
    "vla": (
        "int n_ = 3 + (x & 15);\n  int vla_[n_];\n  fill(vla_, n_ * sizeof *vla_, x);",
        'same(vla_, n_ * sizeof *vla_, n0_, "vla");',
    ),
    "alloca": (
        "unsigned char *al_ = alloca(40 + (x & 63));\n  fill(al_, 40 + (x & 63), x);",
        'same(al_, 40 + (n0_ & 63), n0_, "alloca");',
    ),
    "aligned": (
        "_Alignas(64) unsigned char ov_[70];\n  fill(ov_, sizeof ov_, x);",
        'same(ov_, sizeof ov_, n0_ + (int)((uintptr_t)ov_ % 64), "aligned");',
    ),
    "scalars": (
        "extended ld_ = TO_extended(x + zero);\n  wide wi_ = TO_wide(x + zero);\n  float fl_ = (float)(x + zero);",
        'if (of_extended(ld_) != n0_ || of_wide(wi_) != n0_ || fl_ != (float)n0_) printf("scalars\\n");',
    ),
    "structs": (
        "big bi_ = TO_big(x + zero);\n  pair pa_ = TO_pair(x + zero);\n  floats fs_ = TO_floats(x + zero);",
        'if (of_big(bi_) != n0_ || of_pair(pa_) != n0_ || of_floats(fs_) != n0_) printf("structs\\n");',
    ),
}


def c_text(programs):
    """One file; its program takes the number of the one to be run. It is linked with MODULE."""
    lines = [HEAD]
    for n, program in enumerate(programs):
        lines += Text(program, f"p{n}_").lines
    table = ", ".join(f"p{n}_main" for n in range(len(programs)))
    lines.append(f"static void (*const all[])(void) = {{{table}}};")
    lines.append(
        "int main(int argc, char **argv) {\n  all[argc > 1 ? atoi(argv[1]) : 0]();\n  fflush(stdout);\n  return 0;\n}"
    )
    return "\n".join(lines) + "\n"


class Text:
    def __init__(self, program, prefix):
        self.prefix = prefix
        self.copied = 0
        self.lines = []
        for k, function in enumerate(program.functions):
            self.function(k, function)
        inits = " ".join(f"ch_sem_init(&s[{k}], {count});" for k, count in enumerate(program.semaphores))
        last = f"{prefix}c{len(program.functions) - 1}"
        self.lines.append(f"static void {prefix}main(void) {{\n  {inits}\n  begin_objects();\n  {last}(0, 0);\n}}")

    def function(self, k, function):
        """f is the function; c calls it, with plain numbers."""
        name, call = f"{self.prefix}f{k}", f"{self.prefix}c{k}"
        kind = function.kind
        self.type = kind if kind in TYPES else "int"
        self.here = call
        self.checks = [LOCALS[l][1] for l in function.locals]
        parameter = f"{self.type} x_" if self.type != "int" else "int x"
        head = f"{self.type} {name}({parameter}, int d)"
        called = name
        if kind == "variadic":
            head = f"int {name}(int d, ...)"
        attributes = {"inline": "static inline ", "weak": "__attribute__((weak)) "}.get(kind, "static ")
        self.lines.append(f"static int {call}(int x, int d);\n{attributes}{head} {{")
        if kind == "variadic":
            self.lines.append(
                "  va_list list;\n  va_start(list, d);\n"
                "  int x = of_double(va_arg(list, double)) + of_big(va_arg(list, big));\n"
                "  va_end(list);"
            )
        elif self.type != "int":
            self.lines.append(f"  int x = of_{self.type}(x_);")
        if function.locals:
            self.lines.append("  const int n0_ = x;")
        self.lines.append("  int a = 1, b = 2;\n  (void)a, (void)b, (void)d;")
        self.lines += ["  " + LOCALS[l][0] for l in function.locals]
        self.lines += self.block(function.body, "  ")
        self.lines.append("  " + " ".join(self.checks) + f"\n  return TO_{self.type}(0);\n}}")
        if kind == "pointer":
            self.lines.append(f"static int (*volatile {name}_v)(int, int) = {name};")
            called = f"{name}_v"
        value = (
            f"{called}(d, TO_double(x), TO_big(0))"
            if kind == "variadic"
            else f"of_{self.type}({called}(TO_{self.type}(x), d))"
        )
        self.lines.append(f"static int {call}(int x, int d) {{ return {value}; }}")

    def block(self, statements, indent):
        return [line for s in statements for line in self.statement(s, indent)]

    def braces(self, head, body, indent, tail="}", before=(), after=()):
        inner = indent + "  "
        return [
            f"{indent}{head} {{",
            *(inner + line for line in before),
            *self.block(body, inner),
            *(inner + line for line in after),
            indent + tail,
        ]

    def with_copies(self, head, s, indent, checks):
        """Every third body with copies has a large one, too."""
        if not s.copies:
            return self.braces(head, s.body, indent, after=checks)
        self.copied += 1
        if self.copied % 3:
            return self.braces(f"{head} ({', '.join(s.copies)})", s.body, indent)
        k = self.copied
        n, name = 30 * k % 700 + 1, f"copy{k}_"
        check = [f'same({name}, {n}, {k}, "{name}");']
        lines = self.braces(
            f"{head} ({', '.join([name] + s.copies)})",
            s.body,
            indent + "  ",
            before=check,
            after=check + [f"fill({name}, {n}, 0);"],
        )
        return [
            f"{indent}{{ unsigned char {name}[{n}]; fill({name}, {n}, {k});",
            *lines,
            f"{indent}  fill({name}, {n}, 1); }}",
        ]

    def activate(self, s, indent):
        head = "activate contained" if s.contained else "activate"
        if s.into is not None:
            head += f" [ch_in(scopes[{s.into}])]"
        if s.handle is not None:
            head = f"{head} [&handles[{s.handle}]]"
        # Unless it is contained it may outlive the function, and its other variables.
        checks, self.checks = self.checks, self.checks if s.contained else []
        lines = self.with_copies(head, s, indent + "  ", [])
        self.checks = checks
        return lines if s.handle is None else [f"{indent}if (!used[{s.handle}]++) {{", *lines, f"{indent}}}"]

    def waituntil(self, s, indent):
        inner = indent + "  "
        clauses = list(S.clauses_of(s.clauses))
        results = " ".join(clause_variables(c.call, c.number) for c in clauses)
        self.fair = " fair" if s.fair else ""
        lines = [f"{indent}{{ {results}", *self.several(s.clauses, inner)]
        if s.otherwise is not None:
            lines += self.braces("else", s.otherwise, inner)
        return [*lines, f"{indent}}}"]

    def several(self, s, indent):
        lines = []
        for operator, part in zip([""] + [f"{o} " for o in s.operators], s.parts):
            if isinstance(part, S.Several):
                lines += [f"{indent}{operator}(", *self.several(part, indent + "  "), f"{indent})"]
            else:
                lines += self.clause(part, operator, indent)
        return lines

    def clause(self, c, operator, indent):
        guard = "" if c.guard is None else f"when (said({c.number}, {c.guard} & 1)) "
        fair, self.fair = self.fair, ""
        said, place = f"out({c.number + 1}, 0), ", f"*place({c.number + 2}, &r{c.number}_)"
        match c.call:
            case S.Operate(verb=verb, number=n, other=other):
                call = CLAUSE_CALLS[verb].format(n=n, other=other, said=said, place=c.number)
            case S.Wait(semaphore=n):
                call = f"ch_sem_wait(({said}&s[{n}]))"
            case S.Sleep(duration=n):
                call = f"ch_sleep(({said}{n}))"
            case S.Join(handle=n):
                call = f"ch_activity_wait(({said}&handles[{n}]))"
        store = f"{c.call.variable} = {clause_code(c.call, c.number)};"
        return self.braces(f"{operator}{guard}waituntil{fair} ({place} = {call})", c.body, indent, before=[store])

    def statement(self, s, indent):
        match s:
            case S.Print():
                return [f"{indent}out({s.number}, {s.variable});"]
            case S.Assign():
                return [f"{indent}{s.variable} = ({s.other} * 3 + {s.constant}) & 0xffffff;"]
            case S.Cancelled():
                return [f"{indent}{s.variable} = ch_cancelled();"]
            case S.Post():
                return [f"{indent}ch_sem_post(&s[{s.semaphore}]);"]
            case S.Wait():
                call = f"timedwait(&s[{s.semaphore}], {s.timeout})" if s.timeout else f"wait(&s[{s.semaphore}])"
                return [f"{indent}{s.variable} = code(ch_sem_{call});"]
            case S.TryWait():
                return [f"{indent}{s.variable} = code(ch_sem_trywait(&s[{s.semaphore}]));"]
            case S.Destroy():
                return [f"{indent}{s.variable} = code(ch_sem_destroy(&s[{s.semaphore}]));"]
            case S.Sleep():
                return [f"{indent}{s.variable} = code(ch_sleep({s.duration}));"]
            case S.Reschedule():
                return [f"{indent}ch_reschedule();"]
            case S.Suspend():
                w = s.waiter
                call = {
                    "suspend": f"ch_waiter_suspend(&w[{w}])",
                    "wait": f"ch_waiter_wait(&w[{w}])",
                    "unlock": f"(ch_spin_acquire(&lock), ch_waiter_suspend_unlock(&w[{w}], &lock))",
                }[s.how]
                return [
                    f"{indent}if (busy[{w}]) {s.variable} = 3;",
                    f"{indent}else {{ busy[{w}] = 1; {s.variable} = code({call}); busy[{w}] = 0; }}",
                ]
            case S.Schedule():
                return [f"{indent}ch_waiter_schedule(&w[{s.waiter}]);"]
            case S.YieldTo():
                return [f"{indent}ch_yield_to(&w[{s.waiter}]);"]
            case S.Item():
                match s.action:
                    case S.Post(semaphore=n):
                        what = n
                    case S.Schedule(waiter=n):
                        what = 10 + n
                    case S.Say(number=n):
                        what = 20 + n
                item = f"item{len(indent)}_"
                return self.braces(
                    "",
                    s.body,
                    indent,
                    before=[
                        f"ch_cancel_item {item};",
                        f"{s.variable} = code(ch_cancel_add(&{item}, on_cancel, (void *){what}));",
                    ],
                    after=[f"ch_cancel_remove(&{item});"],
                )
            case S.Join():
                return [f"{indent}{s.variable} = code(ch_activity_wait(&handles[{s.handle}]));"]
            case S.Detach():
                return [f"{indent}{s.variable} = code(ch_activity_detach(&handles[{s.handle}]));"]
            case S.CancelActivity():
                return [f"{indent}ch_activity_cancel(&handles[{s.handle}]);"]
            case S.Call():
                return [f"{indent}{s.variable} = {self.prefix}c{s.function}({s.other}, {s.depth});"]
            case S.Recur():
                return [f"{indent}if (d) {s.variable} = {self.here}({s.other}, d - 1);"]
            case S.Through():
                return [f"{indent}{s.variable} = THROUGH_{s.through}({self.prefix}c{s.function}, {s.other});"]
            case S.Return():
                return [f"{indent}{{ {' '.join(self.checks)} return TO_{self.type}({s.variable}); }}"]
            case S.Break():
                return [f"{indent}break;"]
            case S.Continue():
                return [f"{indent}continue;"]
            case S.Goto():
                return [f"{indent}goto behind_{s.label};"]
            case S.Loop():
                name = f"i{len(indent)}"
                return self.braces(f"for (int {name} = 0; {name} < {s.times}; {name}++)", s.body, indent)
            case S.If():
                return self.braces(f"if ({s.variable} & 1)", s.then, indent) + (
                    self.braces("else", s.otherwise, indent) if s.otherwise else []
                )
            case S.Finish():
                within = "" if s.deadline is None else f"within ({s.deadline}) "
                behind = f"}} finish; behind_{s.label}: __attribute__((unused));"
                if s.failures is None:
                    return self.braces(f"{s.label}: {within}do", s.body, indent, behind)
                name = f"errors_{s.label}"
                list_of = f"struct ch_error all_{s.label}[4]; ch_errors {name} = {{.all = all_{s.label}, .room = 4}};"
                return [
                    f"{indent}{{ {list_of}",
                    *self.braces(f"{s.label}: {within}do", s.body, indent, behind),
                    f"{indent}out({s.failures}, summary(&{name})); }}",
                ]
            case S.Async():
                return self.with_copies("async", s, indent, self.checks)
            case S.Cancel():
                return [f"{indent}cancel {s.label};"]
            case S.Noncancellable():
                return self.braces("noncancellable", s.body, indent)
            case S.Atomic():
                return self.braces(f"atomic {s.policy}".rstrip(), s.body, indent)
            case S.Activate():
                return self.activate(s, indent)
            case S.Operate():
                return [f"{indent}{s.variable} = {CALLS[s.verb].format(n=s.number, other=s.other)};"]
            case S.Waituntil():
                return self.waituntil(s, indent)
            case S.Here():
                name = f"here{len(indent)}_"
                return self.braces(
                    "", s.body, indent, before=[f"__attribute__((cleanup(not_here))) int {name} = here({s.slot});"]
                )
            case S.CancelScope():
                return [f"{indent}if (scopes[{s.slot}]) ch_scope_cancel(scopes[{s.slot}]);"]
            case S.Collect():
                return [f"{indent}ch_collect(&errors_{s.label});"]
            case S.Fail():
                return [f"{indent}ch_fail(error({s.error}));"]
            case S.SetResult():
                return [f"{indent}{s.variable} = what(ch_activity_set_result({s.other}));"]
            case S.Result():
                what = "what(ch_activity_error(" if s.error else "(int)(ch_activity_result("
                return [f"{indent}{s.variable} = {what}&handles[{s.handle}]));"]
            case S.Deadline():
                scope = "NULL" if s.slot is None else f"scopes[{s.slot}]"
                return [f"{indent}{s.variable} = since(ch_deadline({scope}));"]
            case S.MoveDeadline():
                when = "CH_FOREVER" if s.delay is None else f"ch_now() + {s.delay}"
                move = f"{s.variable} = what(ch_deadline_move(scopes[{s.slot}], {when}));"
                return [f"{indent}if (scopes[{s.slot}]) {move}"]
            case S.Now():
                return [f"{indent}{s.variable} = since(ch_now());"]
        raise TypeError(s)
