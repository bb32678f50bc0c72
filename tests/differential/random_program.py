#!/usr/bin/env python3
"""A random program whose locals are stored and read in parts around calls: random_program.py SEED

Most functions are small, because the compiler has the most ways to keep a local where it keeps few of them. What a
program does it sums up in a global variable, so that no local lives across a call for that purpose alone. Every
operation is defined: indices are reduced, arithmetic is unsigned, only bytes without padding are read.
"""

import dataclasses
import random
import sys
from pathlib import Path

import word_types

HEAD = (Path(__file__).resolve().parent / "random_program.h").read_text()


class Function:
    """Writes the body of one function. `scopes` holds the (name, type) of each local that may be used."""

    def __init__(self, program, number):
        self.program, self.number, self.random = program, number, program.random
        self.result = self.random.choice(program.types)
        self.parameters = [(f"p{i}", self.random.choice(program.types)) for i in range(self.random.randint(0, 3))]
        self.scopes, self.names, self.depth = [list(self.parameters)], 0, 0
        # A computed goto may not pass a variable array nor a cleanup, even one of elsewhere in the function.
        self.jumps_anywhere = self.random.random() < 0.2
        self.may_return = True
        # A tiny function has one local to keep, if that.
        self.size = self.random.choice(["tiny", "tiny", "small", "large"])

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def signature(self):
        written = ", ".join(f"{t.name} {n}" for n, t in self.parameters) or "void"
        return f"NI static {self.result.name} f{self.number}({written})"

    def text(self):
        body = {"tiny": self.tiny, "small": lambda: self.block(3), "large": lambda: self.block(10)}[self.size]()
        return (
            f"{self.signature()} {{ if (spent()) return {self.made(self.result)};\n{body}\n"
            f"return {self.value(self.result)}; }}"
        )

    def tiny(self):
        """A local is stored as a whole, then a part of it; after waits its bytes are read."""
        kind = self.random.choice([t for t in self.program.types if t.whole])
        start = self.random.choice([f"{kind.name} v = {self.made(kind)};", f"{kind.name} v; memset(&v, 1, sizeof v);"])
        part = self.random.choice(kind.stored).format(v="v", e=f"({self.random.randint(0, 99)}u + zero)")
        reads = " ".join(f"note(BYTE(v, wait_for({self.random.randint(0, 9)}u)));" for _ in range(3))
        return self.random.choice([f"{start} {part} {reads}", f"{start} note(1u); {part} {reads}"])

    # ---- expressions ----

    def locals_of(self, wanted=lambda t: True):
        return [(n, t) for scope in self.scopes for n, t in scope if wanted(t)]

    def made(self, kind):
        return f"make{kind.number}({self.random.randint(0, 9)}u)"

    def value(self, kind):
        """An expression of the type."""
        known = self.locals_of(lambda t: t is kind)
        if known and self.random.random() < 0.8:
            return self.random.choice(known)[0]
        return f"make{kind.number}({self.number_expression(1)})"

    def simple(self):
        known = self.locals_of()
        if known and self.random.random() < 0.6:
            name, kind = self.random.choice(known)
            if kind.whole and self.random.random() < 0.6:
                return f"BYTE({name}, wait_for({self.random.randint(0, 9)}u))"
            return self.random.choice(kind.read).format(v=name, e="zero")
        return f"{self.random.randint(0, 99)}u"

    def number_expression(self, depth=0):
        """An unsigned."""
        draw = self.random.random()
        if depth > 2 or draw < 0.35:
            return self.simple()
        if draw < 0.55:
            return f"wait_for({self.number_expression(depth + 1)})"
        if draw < 0.65:
            return f"hash({self.number_expression(depth + 1)})"
        if draw < 0.75 and not self.jumps_anywhere:
            return f"({{ {self.block(1)} {self.simple()}; }})"
        operator = self.random.choice("+-*^&|")
        return f"({self.number_expression(depth + 1)} {operator} {self.number_expression(depth + 1)})"

    def condition(self):
        text = f"({self.number_expression(1)} & {self.random.choice([1, 1, 3])}) == {self.random.choice([0, 0, 1])}"
        return self.random.choice(["RARE({})", "RARE({})", "MOST({})", "{}"]).format(text)

    # ---- statements ----

    def block(self, count):
        self.scopes.append([])
        self.depth += 1
        made = "\n".join(self.statement() for _ in range(count))
        self.depth -= 1
        self.scopes.pop()
        return made

    def short_block(self):
        return self.block(self.random.randint(1, 3))

    def braced_block(self):
        """To stand where control may enter from elsewhere: no local of it is declared outside."""
        return f"{{ {self.short_block()} }}"

    def without_return(self, writer):
        before, self.may_return = self.may_return, False
        made = writer()
        self.may_return = before
        return made

    def statement(self):
        simple = [self.declare] * 6 + [self.store] * 6 + [self.wait] * 4 + [self.copy, self.call, self.call]
        simple += [self.store_byte] * 2 + [self.lend_for_a_call, self.variadic, self.atomic_local, self.give_back]
        nested = [self.branch] * 3 + [self.loop] * 2 + [self.choice, self.into_loop, self.device, self.lent]
        nested += [self.variable_array, self.returns_twice, self.cleaned, self.anywhere, self.own_memory]
        nested += [self.jumped_over, self.jumped_over, self.atomic_block, self.scope]
        deep = self.depth > (3 if self.size == "large" else 2)
        return self.random.choice(simple if deep or self.random.random() < 0.7 else nested)()

    def declare(self):
        kind = self.random.choice(self.program.types)
        name = self.fresh("v")
        volatile = "volatile " if self.random.random() < 0.08 else ""
        if kind.whole and not volatile and self.random.random() < 0.5:
            made = f"{kind.name} {name}; memset(&{name}, {self.random.choice([0, 1])}, sizeof {name});"
        else:
            made = f"{volatile}{kind.name} {name} = {self.value(kind)};"
        if volatile:  # not to be read or written through a pointer to anything else
            kind = dataclasses.replace(kind, whole=False)
        self.scopes[-1].append((name, kind))
        return made + (self.store() if self.random.random() < 0.6 else "")

    def store(self):
        known = self.locals_of()
        if not known:
            return self.declare()
        name, kind = self.random.choice(known[-4:])
        return self.random.choice(kind.stored).format(v=name, e=f"({self.number_expression(1)})")

    def store_byte(self):
        known = self.locals_of(lambda t: t.whole)
        if not known:
            return self.declare()
        return f"BYTE({self.random.choice(known)[0]}, {self.simple()}) ^= 1;"

    def copy(self):
        known = self.locals_of()
        if not known:
            return self.declare()
        name, kind = self.random.choice(known)
        return f"{name} = {self.value(kind)};"

    def wait(self):
        return f"note({self.number_expression()});"

    def call(self):
        """One of the functions, by its name or by a pointer that the compiler cannot see through."""
        other = self.random.choice(self.program.functions)
        arguments = ", ".join(self.value(t) for _, t in other.parameters)
        name = self.fresh("v")
        by = f"f{other.number}"
        if self.random.random() < 0.3:
            by = f"((__typeof__(&{by}))hidden[{other.number}])"
        self.scopes[-1].append((name, other.result))
        return f"{other.result.name} {name} = {by}({arguments});"

    def variadic(self):
        kinds = self.random.choices("uwld", k=self.random.randint(1, 8))
        word = next(t for t in self.program.types if t.name == "struct word0")
        given = {"u": lambda: f"(unsigned){self.simple()}", "w": lambda: self.value(word)}
        given |= {"l": lambda: "(long double)zero", "d": lambda: f"(double)(int)({self.simple()})"}
        return f'note(variadic("{"".join(kinds)}", {", ".join(given[k]() for k in kinds)}));'

    def atomic_local(self):
        name = self.fresh("a")
        kind = self.random.choice(["unsigned", "unsigned char", "unsigned long"])
        return f"{{ _Atomic {kind} {name} = {self.simple()}; {name} += {self.number_expression()}; note({name}); }}"

    def give_back(self):
        return f"if ({self.condition()}) return {self.value(self.result)};" if self.may_return else self.wait()

    def lend_for_a_call(self):
        known = self.locals_of(lambda t: t.whole)
        if not known:
            return self.declare()
        name = self.random.choice(known)[0]
        return f"touch((void *)&{name}, sizeof {name});"

    def lent(self):
        """While a block runs, whoever is called may change the local."""
        known = self.locals_of(lambda t: t.whole)
        if not known:
            return self.declare()
        name = self.random.choice(known)[0]
        body = self.without_return(self.short_block)
        return f"{{ struct loan loan = lend((void *)&{name}, sizeof {name}); {body} take_back(loan); }}"

    def branch(self):
        made = f"if ({self.condition()}) {{ {self.short_block()} }}"
        return made + (f" else {{ {self.short_block()} }}" if self.random.random() < 0.4 else "")

    def loop(self):
        i = self.fresh("i")
        leave = self.random.choice(["", "", f"if ({self.condition()}) break;", f"if ({self.condition()}) continue;"])
        rounds = self.random.randint(1, 3)
        return f"for (int {i} = 0; {i} < {rounds}; {i}++) {{ {self.short_block()} {leave} {self.short_block()} }}"

    def choice(self):
        """A switch, most cases of which fall through."""
        cases = [f"case {k}: {self.braced_block()} {self.random.choice(['', '', 'break;'])}" for k in range(3)]
        return f"switch ({self.number_expression()} % 4) {{ {' '.join(cases)} default:; }}"

    def into_loop(self):
        i, label = self.fresh("i"), self.fresh("L")
        return (
            f"{{ int {i} = 0; if ({self.condition()}) goto {label}; for (; {i} < 2; {i}++) {{ {self.braced_block()}"
            f" {label}:; {self.braced_block()} }} }}"
        )

    def device(self):
        """Duff's: a switch into the middle of a loop."""
        n = self.fresh("n")
        return (
            f"{{ int {n} = 2; switch ({self.simple()} % 3) {{ case 0: do {{ {self.braced_block()} case 1: "
            f"{self.braced_block()} case 2: {self.braced_block()} }} while (--{n}); }} }}"
        )

    def anywhere(self):
        """A computed goto."""
        if not self.jumps_anywhere:
            return self.branch()
        one, other = self.fresh("L"), self.fresh("L")
        return (
            f"{{ void *at[] = {{&&{one}, &&{other}}}; goto *at[{self.number_expression()} % 2]; "
            f"{one}: {self.braced_block()} {other}: {self.braced_block()} }}"
        )

    def variable_array(self):
        if self.jumps_anywhere:
            return self.wait()
        n, a = self.fresh("n"), self.fresh("a")
        body = self.short_block()
        return (
            f"{{ unsigned {n} = 1 + ({self.simple()}) % 4; unsigned {a}[{n}]; for (unsigned i = 0; i < {n}; i++) "
            f"{a}[i] = i; {a}[0] = {self.number_expression()}; {body} note({a}[wait_for(zero) % {n}]); }}"
        )

    def own_memory(self):
        p = self.fresh("m")
        size = self.random.choice(["8", "16", "8 + zero"])
        body = self.short_block()
        return (
            f"{{ char *{p} = __builtin_alloca({size}); memset({p}, 7, 8); *{p} = (char)({self.simple()}); {body} "
            f"note({p}[wait_for({self.simple()}) % 8]); }}"
        )

    def returns_twice(self):
        body = self.without_outer_locals(self.short_block)
        return (
            "{ struct loan loan = lend(NULL, 0); jmp_buf back; volatile int times = 0; setjmp(back); if (times++ < 2) {"
            f" {body} jump(back); }} take_back(loan); }}"
        )

    def without_outer_locals(self, writer):
        """Between setjmp and longjmp only locals of the block itself change."""
        scopes, self.scopes = self.scopes, []
        made = self.without_return(writer)
        self.scopes = scopes
        return made

    def jumped_over(self):
        """Left by a jump out of what is called in it, now and then by one to a block further out."""
        body = self.without_outer_locals(lambda: self.block(self.random.randint(2, 4)))
        return (
            "{ struct loan loan = lend(NULL, 0); struct escape before = escape_now; jmp_buf back; "
            f"if (setjmp(back) == 0) {{ escape_now = (struct escape){{&back, {self.random.randint(0, 25)}, &before}}; "
            f"{body} }} escape_now = before; take_back(loan); }}"
        )

    def dialect(self, word, otherwise=""):
        return f"\n#ifdef __CHARCOAL__\n{word}\n#else\n{otherwise}\n#endif\n"

    def atomic_block(self):
        if self.jumps_anywhere:  # a cleanup stands at the end of the block
            return self.wait()
        return f"{self.dialect('atomic')} {{ {self.short_block()} }}"

    def scope(self):
        """No jump leads out of it."""
        if self.jumps_anywhere:
            return self.wait()
        other = self.random.choice(self.program.functions)
        arguments = self.without_return(lambda: ", ".join(self.value(t) for _, t in other.parameters))
        body = self.without_return(self.short_block)
        return (
            "{ struct escape before = escape_now; escape_now = (struct escape){0}; do { "
            f"{self.dialect('async')} f{other.number}({arguments}); {body} }} {self.dialect('finish;', 'while (0);')} "
            "escape_now = before; }"
        )

    def cleaned(self):
        if self.jumps_anywhere:
            return self.wait()
        name = self.fresh("c")
        body = self.short_block()
        return f"{{ __attribute__((cleanup(note_word))) unsigned long {name} = {self.simple()}; {body} }}"


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.types = word_types.all_types(self.random)
        self.functions = [Function(self, k) for k in range(self.random.randint(8, 14))]

    def maker(self, kind):
        """A function that makes a value of the type out of a number, with or without a wait."""
        inline = self.random.choice(["NI ", ""])
        stores = " ".join(s.format(v="made", e=f"(x + {i}u)") for i, s in enumerate(kind.stored))
        wait = "note(1u);" if self.random.random() < 0.3 else ""
        clear = "memset(&made, 0, sizeof made);"
        body = f"{kind.name} made; {clear} {stores} {wait} return made;"
        return f"{inline}static {kind.name} make{kind.number}(unsigned x) {{ {body} }}"

    def text(self):
        lines = [t.declaration for t in self.types if t.declaration]
        lines += [HEAD]
        lines += [self.maker(t) for t in self.types]
        lines += [f.signature() + ";" for f in self.functions]
        lines += [f"static void *volatile hidden[] = {{{', '.join(f'(void *)f{f.number}' for f in self.functions)}}};"]
        lines += [f.text() for f in self.functions]
        lines.append("int main(void) { struct escape none = {0}; for (unsigned i = 0; i < 6; i++) {")
        for f in self.functions:
            arguments = ", ".join(f"make{t.number}(i + {k}u)" for k, (_, t) in enumerate(f.parameters))
            read = self.random.choice(f.result.read).format(v="v", e="i")
            whole = "touch((void *)&v, sizeof v);" if f.result.whole else ""
            left = "escape_now = (struct escape){&back, %d, &none};" % self.random.randint(5, 60)
            lines.append(
                f"{{ fuel = 60; jmp_buf back; if (setjmp(back) == 0) {{ {left if f.number % 3 == 0 else ''} "
                f"{f.result.name} v = f{f.number}({arguments}); note({read}); {whole} }} escape_now = none; "
                "take_back((struct loan){0}); }"
            )
        lines.append('printf("%u %u\\n", i, sum); } return 0; }')
        return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.stdout.write(Program(int(sys.argv[1])).text())
