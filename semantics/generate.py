"""Random programs of the reference semantics.

They end, and never break a rule of the language: `async` and `cancel` stand in a finish of the same function, nothing
leaves an async or activate body or the time of a cancel item, a label names one finish. They may deadlock.
"""

import random
from dataclasses import dataclass, replace

import charcoal_semantics as S
from c_text import KINDS, LOCALS


@dataclass(frozen=True)
class Place:
    """What may stand somewhere."""

    depth: int = 0
    labels: tuple = ()  # of the finishes around, to be cancelled
    ways: tuple = ()  # those of them that may be left
    may_return: bool = True
    may_break: bool = False
    finish: bool = False  # an async may stand here
    atomic: bool = False  # in a block of this function, which ends before the variables here do

    def inside(self, **changes):
        return replace(self, depth=self.depth + 1, **changes)

    def closed(self, **changes):
        return self.inside(ways=(), may_return=False, may_break=False, **changes)


class Generator:
    def __init__(self, seed, activities):
        self.random = random.Random(seed)
        self.activities = activities
        self.numbers = 0
        self.labels = 0
        # Each program has some of these only, so that what it has meets often.
        self.parts = {part for part in ("plain", "atomic", "low", "semaphores", "ways", "recursion", "types", "locals")
                      if self.random.random() < 0.4}

    def program(self):
        r = self.random
        functions = []
        for k in range(r.randint(1, 4)):
            self.functions = k
            functions.append(S.Function(self.block(Place(), r.randint(4, 10))))
        if r.random() < 0.7:  # what still waits is cancelled in the end, so that most programs come to theirs
            place = Place(1, ("l0",), ("l0",), finish=True)
            functions[-1].body = [S.Finish("l0", self.block(place, r.randint(4, 10)), r.choice([300, 1000]))]
        for f in functions:
            if "types" in self.parts:
                f.kind = r.choice(KINDS)
            if "locals" in self.parts:
                f.locals = tuple(r.sample(list(LOCALS), r.randint(0, 2)))
        return S.Program(functions, [r.choice([0, 0, 1, 3]) for _ in range(3)])

    def block(self, place, size):
        return [self.statement(place) for _ in range(max(1, size))]

    def variable(self):
        return self.random.choice("abx")

    def kinds(self, place):
        parts = self.parts
        kinds = {"print": 5, "assign": 4, "post": 4, "wait": 4, "sleep": 1.5, "reschedule": 0.7, "cancelled": 1}
        if self.functions:
            kinds["call"] = 3
            if "plain" in parts:
                kinds["plainly"] = 3
        if "recursion" in parts:
            kinds["recur"] = 1.5
        if "semaphores" in parts:
            kinds |= {"try wait": 1, "destroy": 1}
        if "low" in parts:
            kinds |= {"suspend": 3, "schedule": 2, "yield to": 1.5}
        if place.depth < 5:
            kinds |= {"finish": 4, "if": 2, "loop": 1.5, "noncancellable": 0.7}
            if place.finish:
                kinds["async"] = 9
            if "atomic" in parts:
                kinds["atomic"] = 1.5
            if "low" in parts:
                kinds["item"] = 2
            if self.activities:
                kinds["activate"] = 2
                if place.atomic:
                    kinds["contained"] = 4
        if self.activities:
            kinds |= {"join": 0.7, "cancel activity": 0.5}
            if "semaphores" in parts:
                kinds["detach"] = 0.5
        if place.labels:
            kinds["cancel"] = 1.2
        if place.may_return and place.depth:
            kinds["return"] = 0.4
        if place.ways and "ways" in parts:
            kinds["goto"] = 0.8
        if place.may_break and "ways" in parts:
            kinds |= {"break": 2, "continue": 2}
        return kinds

    def statement(self, place):
        r = self.random
        kinds = self.kinds(place)
        kind = r.choices(list(kinds), list(kinds.values()))[0]

        def inner(**changes):
            return self.block(place.inside(**changes), r.randint(1, 5))

        def closed(**changes):
            return self.block(place.closed(**changes), r.randint(1, 5))

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
            case "try wait":
                return S.TryWait(self.variable(), r.randrange(3))
            case "destroy":
                return S.Destroy(self.variable(), r.randrange(3))
            case "sleep":
                return S.Sleep(self.variable(), r.choice([0, 1, 3, 10, 40]))
            case "reschedule":
                return S.Reschedule()
            case "suspend":
                return S.Suspend(self.variable(), r.randrange(S.WAITERS), r.choice(["suspend", "unlock", "wait", "wait"]))
            case "schedule":
                return S.Schedule(r.randrange(S.WAITERS))
            case "yield to":
                return S.YieldTo(r.randrange(S.WAITERS))
            case "item":
                self.numbers += 1
                action = r.choice([S.Post(r.randrange(3)), S.Schedule(r.randrange(S.WAITERS)), S.Say(self.numbers)])
                return S.Item(self.variable(), action, closed())
            case "join":
                return S.Join(self.variable(), r.randrange(S.HANDLES))
            case "detach":
                return S.Detach(self.variable(), r.randrange(S.HANDLES))
            case "cancel activity":
                return S.CancelActivity(r.randrange(S.HANDLES))
            case "cancelled":
                return S.Cancelled(self.variable())
            case "call":
                return S.Call(self.variable(), r.randrange(self.functions), self.variable(), r.choice([0, 1, 2]))
            case "recur":
                return S.Recur(self.variable(), self.variable())
            case "plainly":
                return S.Plainly(self.variable(), r.randrange(self.functions), self.variable(),
                                 r.choice(["callback", "setjmp", "module"]))
            case "return":
                return S.Return(self.variable())
            case "break":
                return self.perhaps(S.Break())
            case "continue":
                return self.perhaps(S.Continue())
            case "goto":
                return self.perhaps(S.Goto(r.choice(place.ways)))
            case "if":
                return S.If(self.variable(), inner(), inner() if r.random() < 0.5 else [])
            case "loop":
                return S.Loop(r.randint(1, 3), inner(may_break=True))
            case "finish":
                self.labels += 1
                label = f"l{self.labels}"
                deadline = r.choice([None] * 5 + [0, 5, 20, 60])
                return S.Finish(label, inner(labels=place.labels + (label,), ways=place.ways + (label,), finish=True,
                                             may_break=False), deadline)
            case "async":
                copies = self.copies()
                return S.Async(closed(atomic=place.atomic and not copies), copies)
            case "cancel":
                return S.Cancel(r.choice(place.labels))
            case "noncancellable":
                return S.Noncancellable(inner(finish=False))
            case "atomic":
                return S.Atomic(inner(atomic=True), r.choice(["", "", "delay", "contained"]))
            case "activate":
                return S.Activate(closed(labels=(), finish=False, atomic=False), ["a", "b", "x", "d"],
                                  r.choice([None, *range(S.HANDLES)]))
            case "contained":
                return S.Activate(closed(labels=(), finish=False, atomic=False), self.copies(),
                                  r.choice([None, *range(S.HANDLES)]), contained=True)

    def perhaps(self, statement):
        return S.If(self.variable(), [statement], [])

    def copies(self):
        r = self.random
        return sorted(r.sample("abx", r.randint(1, 3))) if r.random() < 0.3 else []


def generate(seed, activities=False):
    return Generator(seed, activities).program()
