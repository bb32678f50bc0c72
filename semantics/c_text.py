"""A program of the reference semantics as C in the dialect."""

import charcoal_semantics as S

HANDLES = 3

HEAD = """#include <charcoal.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
static ch_sem s[8];
static ch_activity handles[%d];
static int used[%d];
static void out(int number, int value) { printf("%%d %%d\\n", number, value); }
static int code(int r) { return r == 0 ? 0 : r == ECANCELED ? 1 : r == ETIMEDOUT ? 2 : 3; }
""" % (HANDLES, HANDLES)


def c_text(programs):
    """One file; its program takes the number of the one to be run."""
    lines = [HEAD]
    for n, program in enumerate(programs):
        Text.prefix = f"p{n}_"
        for k, function in enumerate(program.functions):
            lines.append(f"static int p{n}_f{k}(int x) {{\n  int a = 1, b = 2;")
            lines += block(function.body, "  ")
            lines.append("  (void)a, (void)b;\n  return 0;\n}")
        inits = " ".join(f"ch_sem_init(&s[{k}], {count});" for k, count in enumerate(program.semaphores))
        lines.append(f"static void p{n}(void) {{\n  {inits}\n  p{n}_f{len(program.functions) - 1}(0);\n}}")
    table = ", ".join(f"p{n}" for n in range(len(programs)))
    lines.append(f"static void (*const all[])(void) = {{{table}}};")
    lines.append("int main(int argc, char **argv) {\n  all[argc > 1 ? atoi(argv[1]) : 0]();\n  fflush(stdout);\n  return 0;\n}")
    return "\n".join(lines) + "\n"


class Text:
    prefix = ""  # of the functions of the program that is being written


def block(statements, indent):
    return [line for s in statements for line in statement(s, indent)]


def braces(head, body, indent, tail="}"):
    return [f"{indent}{head} {{", *block(body, indent + "  "), indent + tail]


def copies(s):
    return f" ({', '.join(s.copies)})" if s.copies else ""


def statement(s, indent):
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
        case S.Sleep():
            return [f"{indent}{s.variable} = code(ch_sleep({s.duration}));"]
        case S.Reschedule():
            return [f"{indent}ch_reschedule();"]
        case S.Join():
            return [f"{indent}{s.variable} = code(ch_activity_wait(&handles[{s.handle}]));"]
        case S.CancelActivity():
            return [f"{indent}ch_activity_cancel(&handles[{s.handle}]);"]
        case S.Call():
            return [f"{indent}{s.variable} = {Text.prefix}f{s.function}({s.other});"]
        case S.Return():
            return [f"{indent}return {s.variable};"]
        case S.Loop():
            name = f"i{len(indent)}"
            return braces(f"for (int {name} = 0; {name} < {s.times}; {name}++)", s.body, indent)
        case S.If():
            return braces(f"if ({s.variable} & 1)", s.then, indent) + (
                braces("else", s.otherwise, indent) if s.otherwise else [])
        case S.Finish():
            within = "" if s.deadline is None else f"within ({s.deadline}) "
            return braces(f"{s.label}: {within}do", s.body, indent, "} finish;")
        case S.Async():
            return braces(f"async{copies(s)}", s.body, indent)
        case S.Cancel():
            return [f"{indent}cancel {s.label};"]
        case S.Noncancellable():
            return braces("noncancellable", s.body, indent)
        case S.Activate():
            if s.handle is None:
                return braces(f"activate{copies(s)}", s.body, indent)
            return braces(f"if (!used[{s.handle}]++) activate [&handles[{s.handle}]]{copies(s)}", s.body, indent)
    raise TypeError(s)
