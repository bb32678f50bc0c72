"""A program of the reference semantics as C in the dialect."""

import charcoal_semantics as S

HEAD = """#include <charcoal.h>
#include <stdio.h>
static void out(int number, int value) { printf("%d %d\\n", number, value); }
"""


def c_text(program):
    lines = [HEAD]
    for k, count in enumerate(program.semaphores):
        lines.append(f"static ch_sem s{k} = CH_SEM_INIT({count});")
    last = len(program.functions) - 1
    for k, function in enumerate(program.functions):
        lines.append(f"int f{k}(int x) {{\n  int a = 1, b = 2;")
        lines += block(function.body, "  ")
        lines.append("  (void)a, (void)b;\n  return 0;\n}")
    lines.append(f"int main(void) {{\n  f{last}(0);\n  fflush(stdout);\n  return 0;\n}}")
    return "\n".join(lines) + "\n"


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
            return [f"{indent}ch_sem_post(&s{s.semaphore});"]
        case S.Wait():
            return [f"{indent}{s.variable} = ch_sem_wait(&s{s.semaphore});"]
        case S.Call():
            return [f"{indent}{s.variable} = f{s.function}({s.other});"]
        case S.Return():
            return [f"{indent}return {s.variable};"]
        case S.Loop():
            name = f"i{len(indent)}"
            return braces(f"for (int {name} = 0; {name} < {s.times}; {name}++)", s.body, indent)
        case S.If():
            return braces(f"if ({s.variable} & 1)", s.then, indent) + (
                braces("else", s.otherwise, indent) if s.otherwise else [])
        case S.Finish():
            return braces(f"{s.label}: do", s.body, indent, "} finish;")
        case S.Async():
            return braces(f"async{copies(s)}", s.body, indent)
        case S.Cancel():
            return [f"{indent}cancel {s.label};"]
        case S.Noncancellable():
            return braces("noncancellable", s.body, indent)
        case S.Activate():
            return braces(f"activate{copies(s)}", s.body, indent)
    raise TypeError(s)
