"""What the tests of the passes run, and the tests that compare more than text."""

import os, re, subprocess, sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parent.parent
build = Path(sys.argv[1] if len(sys.argv) > 1 else root / "build").resolve()
cc = build / "bin/charcoal-cc"
plugin = build / "lib/charcoal-plugin.so"


class Failure(Exception):
    pass


def run(*command, status=0, cwd=None, timeout=600):
    done = subprocess.run(
        [str(c) for c in command],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        errors="replace",
    )
    if status is not None and done.returncode != status:
        raise Failure(
            f"{' '.join(map(str, command))}: status {done.returncode}, wanted {status}\n{done.stdout}{done.stderr}"
        )
    return done.stdout, done.stderr


def check(condition, what):
    if not condition:
        raise Failure(str(what))


clang = re.search(r'^ "([^"]+)"', run(cc, "-###", "-c", "-x", "c", "/dev/null")[1], re.M).group(1)
llvm = Path(clang).resolve().parent
tests = {}


def test(function):
    tests[function.__name__] = function
    return function


# Not functions that call setjmp: what is around the call is noted.
PLAIN = {
    "calls.c": """
int elsewhere(int); long (*pointer)(long);
static int leaf(int n) { return n * 3 + 1; }
int calls(int n) { int s = 0; for (int i = 0; i < n; ++i) s += elsewhere(leaf(i)); return s; }
long indirect(long a, long *b) { *b = pointer(a); return pointer(*b) - a; }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
""",
    "locals.c": """
#include <string.h>
void fill(char *, int);
int array(int n) { char a[n], b[40]; fill(a, n); fill(b, 40); return memcmp(a, b, n < 40 ? n : 40); }
struct large { long v[9]; };
struct large twice(struct large s) { for (int i = 0; i < 9; ++i) s.v[i] *= 2; fill((char *)&s, 72); return s; }
""",
    "jumps.c": """
#include <stdarg.h>
int elsewhere(int);
int go(int n) {
  static const void *const t[] = {&&a, &&b};
  goto *t[n & 1];
  a: return elsewhere(1);
  b: return elsewhere(2);
}
int sum(int n, ...) {
  va_list l;
  va_start(l, n);
  int s = 0;
  while (n--) s += elsewhere(va_arg(l, int));
  va_end(l);
  return s;
}
int chosen(int n) { switch (n) { case 1: return elsewhere(3); case 2: n += elsewhere(4); default: return n; } }
__attribute__((weak)) int weak(int n) { return elsewhere(n) ^ 1; }
int caller(int n) { return sum(2, n, weak(n)); }
""",
}
OPTIONS = ["-O0", "-O1", "-O2", "-Os", "-O2 -g", "-O2 -fPIC"]


def functions(text):
    """What stands between the labels of each function of a listing by clang -S, without what only counts upwards."""
    found, name, lines = {}, None, []
    for line in text.splitlines():
        line = line.split("#", 1)[0].rstrip()
        if name is None and re.fullmatch(r"[A-Za-z_.][\w.]*:", line) and not line.startswith(".L"):
            name, lines = line[:-1], []
        elif name is not None and line.startswith(".Lfunc_end"):
            found[name], name = lines, None
        elif (
            name is not None
            and line
            and not re.match(r"\s*\.(loc|cfi|file|p2align|size|type|globl|weak|section|text)|\.L(tmp|func_begin)", line)
        ):
            lines.append(line.strip())
    for name, lines in found.items():
        labels = {}
        number = lambda match: labels.setdefault(match[0], f".L{len(labels)}")
        found[name] = [re.sub(r"\.L[\w.]+", number, line) for line in lines]
    return found


def listing(compiler, source, options):
    return run(compiler, *options.split(), "-S", "-o", "-", source)[0]


def compare_plain(folder, options):
    compared = 0
    for name, text in PLAIN.items():
        (folder / name).write_text(text)
        own, stock = (functions(listing(c, folder / name, options)) for c in (cc, clang))
        for function, lines in stock.items():
            check(
                own.get(function) == lines,
                f"{name}, {options}: {function}\n"
                + "\n".join(own.get(function, ["(missing)"]))
                + "\n--- clang:\n"
                + "\n".join(lines),
            )
            compared += 1
        check(any(f.endswith(".int") for f in own), f"{name}: no interruptible version")
    check(compared >= 10, compared)


for options in OPTIONS:
    tests[f"plain_version_is_clangs {options}"] = lambda folder, options=options: compare_plain(folder, options)


@test
def atomic_code_is_plain_code(folder):
    """Between the counting at its ends an atomic function is what clang makes of it; what it calls is the plain
    code."""
    text = "int elsewhere(int); int step(int n) { return elsewhere(n) * 5; }\n"
    body = "int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += step(i); return s; }\n"
    (folder / "a.c").write_text("#include <charcoal.h>\n" + text + "atomic " + body)
    (folder / "p.c").write_text(text + body)
    own, stock = functions(listing(cc, folder / "a.c", "-O2")), functions(listing(clang, folder / "p.c", "-O2"))
    check("f.int" not in own, "an atomic function has an interruptible version")
    check(own["step"] == stock["step"], own["step"])
    calls = lambda lines: [line for line in lines if line.startswith("call") and "ch_atomic_settle" not in line]
    check(calls(own["f"]) == calls(stock["f"]) != [], "\n".join(own["f"]))
    counts = [line for line in own["f"] if "ch_tls" in line]
    check(len(counts) == 5, counts)  # up, down, is anything pending


COLD = """
int g(int), h(int);
int f(int n) { return n > 3 ? g(n) + h(n + 1) : n; }
int go(int n) {
  static const int distances[] = {&&a - &&a, &&b - &&a};
  goto *(&&a + distances[n & 1]);
  a: return g(1) + 1;
  b: __builtin_trap();
}
"""


def symbols_by_section(folder, text, options):
    """{section: what its relocations name}, of a file compiled with sections for functions."""
    (folder / "sections.c").write_text(text)
    run(cc, *options.split(), "-ffunction-sections", "-c", folder / "sections.c", "-o", folder / "sections.o")
    found = {}
    for line in run(llvm / "llvm-objdump", "-r", folder / "sections.o")[0].splitlines():
        if header := re.fullmatch(r"RELOCATION RECORDS FOR \[(.+)\]:", line):
            section = header.group(1)
            found[section] = ""
        elif " R_" in line:
            found[section] += line.split()[-1] + "\n"
    return found


@test
def ways_out_and_back_lie_in_a_section_of_their_own(folder):
    sections = symbols_by_section(folder, COLD, "-O2")
    for name in ("f", "go"):
        for symbol in ("ch_suspend", "ch_restore", "charcoal.entry."):
            check(symbol not in sections[f".text.{name}.int"], sections)
            check(symbol in sections[f".text.unlikely.{name}.int"], sections)
    # gdb takes a part that lies before its function for the function's prologue.
    for options in ("-O0", "-Os", "-O2 -g"):
        sections = symbols_by_section(folder, COLD, options)
        check("ch_suspend" in sections[".text.f.int"] and ".text.unlikely.f.int" not in sections, sections)


@test
def abi_agrees(folder):
    """The bytes that the passes emit, read back through abi/charcoal_abi.h."""
    (folder / "f.c").write_text("""
int elsewhere(int); void keep(int *);
int image(int a, int b) { int r = elsewhere(a); return r + elsewhere(b) + a; }
int home(void) { int local = 1; keep(&local); int r = elsewhere(2); keep(&local); return r + local; }
""")
    (folder / "main.c").write_text("""
#include "charcoal_sizes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
_Static_assert(offsetof(struct ch_frame, image) == CH_FRAME_HEADER, "header");
_Static_assert(offsetof(struct ch_tls, slice_over) == 0 && offsetof(struct ch_tls, entering) == 1, "attention");
_Static_assert(offsetof(struct ch_tls, atomic_depth) == 4 && offsetof(struct ch_tls, atomic_pending) == 8, "atomic");
_Static_assert(offsetof(struct ch_tls, resuming) == 16 && offsetof(struct ch_tls, entry) == 32, "entry");
_Static_assert(offsetof(struct ch_tls, callee) == 40 && offsetof(struct ch_tls, result) == 64, "result");
_Static_assert(offsetof(struct ch_tls, versions) == 48 && offsetof(struct ch_tls, frames) == 56, "shortcuts");
_Static_assert(sizeof(struct ch_frame_info) == 72, "frame info");
static struct ch_class none_free[CH_CLASSES];
__thread struct ch_tls ch_tls = {.frames = none_free};
#define EXPECT(x) do { if (!(x)) { printf("%s:%d: %s\\n", __FILE__, __LINE__, #x); exit(1); } } while (0)
/* A runtime of the smallest kind: suspends `elsewhere` each time and resumes from outside. */
static struct ch_frame *top; static struct ch_frame **link_to = &top;
static int suspended, kept, homes;
static int save(struct ch_frame *frame, const void *image, uint32_t why) {
  const struct ch_frame_info *info = frame->info;
  const uint32_t point = CH_POINT_OF(why);
  EXPECT(point >= 1 && point <= info->points);
  EXPECT(info->size % 8 == 0 && info->image % 8 == 0 && info->size >= CH_FRAME_HEADER + info->image);
  EXPECT(info->align >= 16 && (info->align & (info->align - 1)) == 0);
  const int small = CH_SMALL_FRAME(info->size, info->image, info->align, info->flags);
  EXPECT(info->small == (small ? (info->size + 15) / 16 * 16 : 0));
  memcpy(frame->image, image, info->image);
  frame->point = point; *link_to = frame; link_to = &frame->parent;
  return CH_STATUS_OF(why);
}
int ch_suspend(const struct ch_frame_info *info, const void *image, uint32_t why) {
  EXPECT(!(info->flags & CH_FRAME_HOME));
  struct ch_frame *frame = calloc(1, info->size + 16); frame->info = info;
  return save(frame, image, why);
}
int ch_suspend_home(struct ch_frame *frame, const void *image, uint32_t why) {
  return save(frame, image, why);
}
struct ch_restored ch_restore(void *image) {
  struct ch_frame *frame = ch_tls.resuming;
  EXPECT(ch_tls.attention == CH_ENTERING);
  memcpy(image, frame->image, frame->info->image); ch_tls.attention = 0;
  uintptr_t value; memcpy(&value, ch_tls.result, sizeof value);
  return (struct ch_restored){frame->point, value};
}
#define SIZED(n) \\
  int ch_suspend_##n(const struct ch_frame_info *info, const void *image, uint32_t why) { \\
    EXPECT(info->image == 8 * n && info->size == CH_FRAME_HEADER + info->image && info->align == 16); \\
    return ch_suspend(info, image, why); \\
  } \\
  int ch_suspend_home_##n(struct ch_frame *frame, const void *image, uint32_t why) { \\
    EXPECT(frame->info->image == 8 * n && frame->info->flags & CH_FRAME_HOME); \\
    return ch_suspend_home(frame, image, why); \\
  } \\
  struct ch_restored ch_restore_##n(void *image) { \\
    EXPECT(ch_tls.resuming->info->image == 8 * n && !(ch_tls.resuming->info->flags & CH_FRAME_HOME)); \\
    return ch_restore(image); \\
  } \\
  struct ch_restored ch_restore_home_##n(void *image) { \\
    EXPECT(ch_tls.resuming->info->image == 8 * n && ch_tls.resuming->info->flags & CH_FRAME_HOME); \\
    return ch_restore(image); \\
  }
CH_FOR_EACH_SIZE(SIZED)
struct ch_frame *ch_frame_new(const struct ch_frame_info *info) {
  EXPECT(info->flags == CH_FRAME_HOME); ++homes;
  struct ch_frame *frame = calloc(1, info->size); frame->info = info; frame->held = 1; return frame;
}
void ch_frame_free(struct ch_frame *frame) { --homes; free(frame); }
struct ch_int_result elsewhere_int(int) CH_INT_NAME(elsewhere);
struct ch_int_result elsewhere_int(int n) {
  (void)n;
  ++suspended;
  link_to = &top;
  return (struct ch_int_result){CH_BLOCKED, 0};
}
int elsewhere(int n) { return n; }
void keep(int *p) { ++kept; *p += 10; }
struct ch_int_result image_int(int, int) CH_INT_NAME(image);
struct ch_int_result home_int(void) CH_INT_NAME(home);
static long finish(const char *name, struct ch_int_result first, long answer) {
  struct ch_int_result r = first; int status = (int)r.status;
  while (status) {
    EXPECT(status == CH_BLOCKED);
    struct ch_frame *frame = top;
    EXPECT(!strcmp(frame->info->name, name));
    memcpy(ch_tls.result, &answer, sizeof answer);
    link_to = &top;
    status = frame->info->resume(frame);
  }
  int value; memcpy(&value, ch_tls.result, sizeof value);
  return value;
}
int main(void) {
  EXPECT(finish("image", image_int(5, 6), 100) == 205 && suspended == 2);
  EXPECT(finish("home", home_int(), 100) == 121 && suspended == 3 && kept == 2 && homes == 0);
  puts("agrees");
}
""")
    for options in ["-O0", "-O2", "-O2 -g"]:
        run(cc, *options.split(), "-c", folder / "f.c", "-o", folder / "f.o")
        run(clang, "-O1", "-I", root / "abi", folder / "main.c", folder / "f.o", "-o", folder / "a")
        check(run(folder / "a")[0] == "agrees\n", options)


@test
def a_chain_of_tail_calls_takes_the_room_of_one(folder):
    """Also where a function lends a local elsewhere, calls a variadic function, or drops a result; with 1 MiB of
    stack."""
    (folder / "t.c").write_text("""
#include <stdarg.h>
#include <stdio.h>
#define NI __attribute__((noinline))
static long kept;
NI void lend(int *p, int (*get)(int)) { *p = get(3); }
NI static int get(int n) { return n * 2; }
NI void note(const char *text, ...) { va_list l; va_start(l, text); if (*text) kept += va_arg(l, int); va_end(l); }
int odd(long n, int s);
NI int even(long n, int s) {
  if (n == 0) return s;
  if (n % 1000000 == 0) { int x; lend(&x, get); s += x; }
  return odd(n - 1, s);
}
NI int odd(long n, int s) { if (n == 0) return s; if (n % 999999 == 0) note("n", (int)n); return even(n - 1, s + 1); }
int even9(long n, int s, int c, int d, int e, int f, int g, int h, int i);
NI int odd9(long n, int s, int c, int d, int e, int f, int g, int h, int i) {
  __attribute__((musttail)) return even9(n - 1, s + i, i, c, d, e, f, g, h);
}
NI int even9(long n, int s, int c, int d, int e, int f, int g, int h, int i) {
  if (n <= 0) return s;
  __attribute__((musttail)) return odd9(n - 1, s, c, d, e, f, g, h, i);
}
int drops(long n);
NI void none(long n) { if (n > 0) drops(n - 1); }
int drops(long n) { none(n); return 0; }
static int (*volatile step)(long, int);
NI int through(long n, int s) { if (n == 0) return s; return step(n - 1, s + 1); }
int main(void) {
  step = through; none(20000);
  printf("%d %d %d %ld\\n", even(3000000, 0), even9(3000000, 1, 2, 3, 4, 5, 6, 7, 8), through(3000000, 0), kept);
}
""")
    run(clang, "-O2", folder / "t.c", "-o", folder / "t")
    expected = run(folder / "t")[0]
    for options in ["-O2", "-O2 -g", "-Os -fPIC", "-O3 -fcharcoal-yields=none", "-O1 -fcharcoal-yields=loops"]:
        run(cc, *options.split(), folder / "t.c", "-o", folder / "t")
        out = run("sh", "-c", f"ulimit -s 1024; exec {folder}/t")[0]
        check(out == expected != "", f"{options}: {out}")


@test
def a_function_with_many_points_goes_on_at_each_of_them(folder):
    """More than one section of points (split_entry.cpp): calls, whose status is a variable, and yields, whose status is
    a constant. The loop has fewer points, so what it uses most stays in registers across all of them."""
    def steps(n, last="s >> 7"):
        return "".join(f"  s = step(s, {i}); {'yield; ' if i % 3 == 0 else ''}s ^= {last};\n" for i in range(n))

    def stepped(s, n, last=lambda s: s >> 7):
        for i in range(n):
            s = (s * 31 + i) % 2**32
            s ^= last(s)
        return s

    (folder / "m.c").write_text(f"""
#include <charcoal.h>
#include <stdio.h>
__attribute__((noinline)) unsigned step(unsigned s, int i) {{ return s * 31 + (unsigned)i; }}
unsigned all(unsigned s) {{
{steps(700)}  return s;
}}
unsigned looped(unsigned s, int n) {{
  for (int k = 0; k < n; k++) {{
{steps(300, "n")}  }}
  return s;
}}
int main(void) {{ printf("%u %u\\n", all(1), looped(1, 2)); }}
""")
    expected = f"{stepped(1, 700)} {stepped(stepped(1, 300, lambda _: 2), 300, lambda _: 2)}\n"
    for options in ["-O0", "-O1", "-O2", "-O2 -g", "-O3", "-Os -fPIC"]:
        run(cc, *options.split(), "-fcharcoal-stress", folder / "m.c", "-o", folder / "m")
        out = run(folder / "m")[0]
        check(out == expected, f"{options}: {out}")


@test
def a_local_that_is_compared_with_the_end_of_the_stack_lies_there(folder):
    """Programs look so whether a recursion goes too deep. In a frame the local would lie below the end."""
    (folder / "d.c").write_text("""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static char *end;
static void count(int *n) { usleep(1); *n += 1; }
static int depth(int n) {
  int local = n, more = 0;
  if ((char *)&local <= end) return -1000;
  count(&more);
  return n > 0 ? depth(n - 1) + more + (local - n) : 0;
}
int main(void) {
  pthread_attr_t attributes;
  void *low;
  size_t size;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  end = (char *)low + size / 8;
  printf("%d\\n", depth(100));
}
""")
    for options in ["-O0", "-O1", "-O2", "-O0 -fcharcoal-stress", "-O2 -fcharcoal-stress"]:
        run(cc, *options.split(), folder / "d.c", "-o", folder / "d")
        out = run(folder / "d")[0]
        check(out == "100\n", f"{options}: {out}")


@test
def unoptimised_recursion_takes_little_more_stack_than_clangs(folder):
    """A frame of 16 bytes more at most, and where clang's has room left, the same."""
    (folder / "r.c").write_text("""
struct tree { struct tree *left, *right; int key; };
int sum(int n, int *p) { int x = *p; if (n == 0) return x; int r = sum(n - 1, p); return r + (x ^ n); }
long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int height(struct tree *t) {
  if (!t) return 0;
  int a = height(t->left), b = height(t->right);
  return (a > b ? a : b) + 1;
}
void walk(struct tree *t, void (*f)(int)) { if (!t) return; walk(t->left, f); f(t->key); walk(t->right, f); }
""")
    used = {}
    for compiler in cc, clang:
        run(compiler, "-O0", "-fstack-usage", "-c", folder / "r.c", "-o", folder / "r.o")
        for name, size in re.findall(r":(\w+(?:\.int)?)\t(\d+)\t", (folder / "r.su").read_text()):
            used[compiler, name] = int(size)
    for name, more in (("sum", 0), ("fib", 16), ("height", 16), ("walk", 16)):
        ours, plain = used[cc, name + ".int"], used[clang, name]
        check(ours <= plain + more, f"{name} takes {ours} bytes, and clang's {plain}")


# Each is a function, or a chain of functions, of n of something.
GROWING = {
    "calls": lambda n: "int g(int); int f(int x) {" + "x += g(x);" * n + "return x; }",
    "loops": lambda n: (
        "int f(volatile int *p, int m) { int s = 0;" + "for (int i = 0; i < m; i++) s += p[i];" * n + "return s; }"
    ),
    "loops that wait or count": lambda n: (
        "int f(volatile int *p, int m) { int s = 0;" + "for (int i = 0; i < m; i++) s += *p;" * n + "return s; }"
    ),
    "loops over calls": lambda n: "void g(int); void f(int m) {" + "for (int i = 0; i < m; i++) g(i);" * n + "}",
    "locals": lambda n: (
        "int g(int *); int f(void) { int s = 0;"
        + "".join(f"int v{i} = {i}; s += g(&v{i});" for i in range(n))
        + "return s; }"
    ),
    "cases": lambda n: (
        "int g(int); int f(int x) { for (;;) switch (x) {"
        + "".join(f"case {i}: x = g({i}); break;" for i in range(n))
        + "default: return x; } }"
    ),
    "parameters": lambda n: "int g(int); int f(" + "int," * (n // 4) + "int x) { return g(x); }",
    "activities": lambda n: "void g(int); void f(void) {" + "activate g(1);" * n + "}",
    "branches": lambda n: "void g(int); void f(void) { do {" + "async g(1);" * n + "} finish; }",
    "scopes": lambda n: "int g(int); int f(int x) {" + "do { async g(x); x += g(x); } finish;" * n + "return x; }",
    "activities in scopes": lambda n: (
        "#include <charcoal.h>\nvoid g(int *); void f(void) { int s = 0, *p = &s; do {"
        + "activate [ch_in(ch_scope_here())] (p) { g(p); }" * n
        + "} finish; }"
    ),
    "atomic blocks": lambda n: "void g(int); void f(void) {" + "atomic { g(1); }" * n + "}",
    "variadic calls": lambda n: (
        "int h(int, ...); void f(int x, int y) {" + "".join(f"h({i}, x, y + {i});" for i in range(n)) + "}"
    ),
    "chain": lambda n: (
        "int g(int); static int f0(int x) { return g(x); }"
        + "".join(f"static int f{i}(int x) {{ return f{i - 1}(x) + 1; }}" for i in range(1, n))
        + f"int f(int x) {{ return f{n - 1}(x); }}"
    ),
    "chain backwards": lambda n: (
        "".join(f"static int f{i}(int);" for i in range(n + 1))
        + "".join(f"static int f{i}(int x) {{ return f{i + 1}(x) + 1; }}" for i in range(n))
        + f"int g(int); static int f{n}(int x) {{ return g(x); }} int f(int x) {{ return f0(x); }}"
    ),
}


def seconds(*command):
    """Processor time."""
    pid = os.posix_spawn(command[0], [str(c) for c in command], os.environ)
    _, status, usage = os.wait4(pid, 0)
    check(status == 0, f"{command}: status {status}")
    return usage.ru_utime + usage.ru_stime


def stays_below(limit, much, little):
    """Whether `much()` takes less than `limit` times what `little()` takes. Other load on the machine only adds to a
    time, so the least of several counts; they are taken in turn, so that a slow phase of the machine hits both."""
    low = high = float("inf")
    for _ in range(6):
        low, high = min(low, little()), min(high, much())
        if high <= limit * low:
            return True, low, high
    return False, low, high


@test
def the_passes_take_time_in_proportion_to_size(folder):
    small, large = 1000, 5000
    passes = "-passes=" + ",".join(
        f"charcoal-{name}" for name in "outline duplicate atomic versions unused merge split shortcuts".split()
    )

    def module(level, kind, n):
        source, out = folder / "grows.c", folder / f"grows{n}.bc"
        source.write_text(GROWING[kind](n))
        run(
            cc,
            level,
            "-w",
            "-fcharcoal-dialect",
            "-c",
            "-emit-llvm",
            "-Xclang",
            "-disable-llvm-passes",
            source,
            "-o",
            out,
        )
        return lambda: seconds(str(llvm / "opt"), f"-load-pass-plugin={plugin}", passes, "-disable-output", out)

    for kind in GROWING:
        for level in ("-O0", "-O1") if kind in ("calls", "loops over calls", "locals") else ("-O0",):
            fine, few, many = stays_below(2 * large / small, module(level, kind, large), module(level, kind, small))
            check(fine, f"at {level} {large} {kind} take {many:.2f} s, and {small} take {few:.2f} s")


@test
def what_the_passes_leave_takes_llvm_time_in_proportion_to_size(folder):
    """With many calls of variadic functions its vectoriser looked at all pairs of the stores of their arguments. Of a
    chain of functions that are inlined into each other all yield points at their entries went through its passes."""
    source, out = folder / "grows.c", folder / "grows.o"
    for kind, limit in {"calls": 7, "variadic calls": 25, "chain": 5}.items():
        source.write_text(GROWING[kind](1200).replace("g(x)", "g(x + 1)"))
        fine, plain, ours = stays_below(
            limit,
            lambda: seconds(str(cc), "-O2", "-c", source, "-o", out),
            lambda: seconds(str(cc), "-fno-charcoal", "-O2", "-c", source, "-o", out),
        )
        check(fine, f"{kind}: {ours:.2f} s, and {plain:.2f} s as plain C")
