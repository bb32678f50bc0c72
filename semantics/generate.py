"""Random programs of the reference semantics.

They end, and never break a rule of the language: `async` and `cancel` stand in a finish of the same function, `return`
does not leave an async or activate body, a label names one finish. They may deadlock.
"""

import random

import charcoal_semantics as S
from c_text import HANDLES


class Generator:
    def __init__(self, seed, activities):
        self.random = random.Random(seed)
        self.activities = activities
        self.numbers = 0
        self.labels = 0

    def program(self):
        r = self.random
        functions = []
        for k in range(r.randint(1, 4)):
            self.functions = k
            functions.append(S.Function(self.block(depth=0, size=r.randint(4, 10), labels=[])))
        if r.random() < 0.7:  # what still waits is cancelled in the end, so that most programs come to theirs
            functions[-1].body = [S.Finish("l0", self.block(1, r.randint(4, 10), ["l0"], finish=True), r.choice([300, 1000]))]
        return S.Program(functions, [r.choice([0, 0, 1, 3]) for _ in range(3)])

    def block(self, depth, size, labels, may_return=True, finish=None):
        return [self.statement(depth, labels, may_return, finish) for _ in range(max(1, size))]

    def variable(self):
        return self.random.choice("abx")

    def statement(self, depth, labels, may_return, finish):
        """`finish`: an async may stand here."""
        r = self.random
        kinds = {"print": 5, "assign": 4, "post": 4, "wait": 4, "sleep": 1.5, "reschedule": 0.7, "cancelled": 1}
        if self.functions:
            kinds["call"] = 3
        if depth < 5:
            kinds |= {"finish": 4, "if": 2, "loop": 1.5, "noncancellable": 0.7}
            if finish:
                kinds["async"] = 9
            if self.activities:
                kinds["activate"] = 2
        if self.activities:
            kinds |= {"join": 0.7, "cancel activity": 0.5}
        if labels:
            kinds["cancel"] = 1.2
        if may_return and depth:
            kinds["return"] = 0.4
        kind = r.choices(list(kinds), list(kinds.values()))[0]

        def inner(labels=labels, may_return=may_return, finish=finish):
            return self.block(depth + 1, r.randint(1, 5), labels, may_return, finish)

        match kind:
            case "print":
                self.numbers += 1
                return S.Print(self.numbers, self.variable())
            case "assign":
                return S.Assign(self.variable(), self.variable(), r.randint(0, 99))
            case "post":
                return S.Post(r.randrange(3))
            case "wait":
                return S.Wait(self.variable(), r.randrange(3), r.choice([None, None, None, 1, 7, 30]))
            case "sleep":
                return S.Sleep(self.variable(), r.choice([0, 1, 3, 10, 40]))
            case "reschedule":
                return S.Reschedule()
            case "join":
                return S.Join(self.variable(), r.randrange(HANDLES))
            case "cancel activity":
                return S.CancelActivity(r.randrange(HANDLES))
            case "cancelled":
                return S.Cancelled(self.variable())
            case "call":
                return S.Call(self.variable(), r.randrange(self.functions), self.variable())
            case "return":
                return S.Return(self.variable())
            case "if":
                return S.If(self.variable(), inner(), inner() if r.random() < 0.5 else [])
            case "loop":
                return S.Loop(r.randint(1, 3), inner())
            case "finish":
                self.labels += 1
                label = f"l{self.labels}"
                deadline = r.choice([None] * 5 + [0, 5, 20, 60])
                return S.Finish(label, inner(labels=labels + [label], finish=True), deadline)
            case "async":
                return S.Async(inner(may_return=False), self.copies())
            case "cancel":
                return S.Cancel(r.choice(labels))
            case "noncancellable":
                return S.Noncancellable(inner(finish=None))
            case "activate":
                return S.Activate(inner(labels=[], may_return=False, finish=None), ["a", "b", "x"],
                                  r.choice([None, *range(HANDLES)]))

    def copies(self):
        r = self.random
        return sorted(r.sample("abx", r.randint(1, 3))) if r.random() < 0.3 else []


def generate(seed, activities=False):
    return Generator(seed, activities).program()
