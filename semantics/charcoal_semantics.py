"""The reference semantics: what a program of the dialect does, one case per construct.

A program is a tree of the statements below. `run` executes it on the machine of DESIGN's section 1: activities, their
branches, scopes, semaphores, a clock; and returns its trace and how it ended. It knows nothing of compilers, frames or stacks: a
branch is a Python generator, and to block is to yield. Only what the laws leave open is decided here as the runtime does
(in which order one `cancel` wakes several branches). Time stands still while anything can run.

Yield points do not occur, but for the explicit ones: in a program with one activity they change nothing (law 1), and
programs with several are compared without them. So a program has exactly one outcome.

Sources: AC, section 3 (operational semantics); the laws by number.
"""

from collections import deque
from dataclasses import dataclass, field

DONE, CANCELLED, TIMED_OUT, REFUSED = range(4)  # what a call that waits returns
BLOCKS, PAUSES = "blocks", "pauses"  # what a branch yields (law 1)


# ---- programs ----


@dataclass
class Print:  # prints the number of the statement and a variable
    number: int
    variable: str


@dataclass
class Assign:  # variable = other * 3 + constant
    variable: str
    other: str
    constant: int


@dataclass
class Post:
    semaphore: int


@dataclass
class Wait:  # variable = DONE, CANCELLED, or TIMED_OUT after so many ns
    variable: str
    semaphore: int
    timeout: int | None = None


@dataclass
class Sleep:  # variable = DONE or CANCELLED; 0 ns: give way once
    variable: str
    duration: int


@dataclass
class Reschedule:
    pass


@dataclass
class Cancelled:  # variable = is the mark visible here?
    variable: str


@dataclass
class Call:  # variable = function(other)
    variable: str
    function: int
    other: str


@dataclass
class Return:
    variable: str


@dataclass
class Loop:
    times: int
    body: list


@dataclass
class If:  # if variable is odd
    variable: str
    then: list
    otherwise: list


@dataclass
class Finish:
    label: str
    body: list
    deadline: int | None = None  # `within (ns)`


@dataclass
class Async:
    body: list
    copies: list = field(default_factory=list)  # variables of which the body has its own


@dataclass
class Cancel:
    label: str  # of an enclosing Finish


@dataclass
class Noncancellable:
    body: list


@dataclass
class Activate:
    body: list
    copies: list = field(default_factory=list)
    handle: int | None = None  # if there is one it is done once: a handle is for one activity


@dataclass
class Join:  # variable = DONE, CANCELLED, or REFUSED: there is no such activity, or it is one's own
    variable: str
    handle: int


@dataclass
class CancelActivity:
    handle: int


@dataclass
class Function:  # one parameter "x", locals "a" and "b", which begin as 1 and 2
    body: list


@dataclass
class Program:
    functions: list  # the last one is main; a function calls only earlier ones
    semaphores: list  # initial counts


# ---- the machine ----


class Activity:
    def __init__(self):
        self.ready = deque()  # branches of it that may run (law 2: first in, first out)
        self.active = False  # one of them runs or is queued
        self.first = None
        self.marked = False
        self.finished = False
        self.waiting = []  # branches that join it


class Branch:
    def __init__(self, activity, code):
        self.activity, self.code = activity, code
        self.scope = None  # innermost open one; None: the one around the activity's body
        self.home = None  # the scope that it was started in, if `async` started it
        self.list = None  # of those who wait for the same, if there is one; it holds the branch
        self.timer = None
        self.cancellable = False  # it waits, and not at the end of a scope
        self.result = None


class Scope:
    def __init__(self, owner, barrier):
        self.outer, self.owner, self.barrier = owner.scope, owner, barrier
        self.branches = []  # started in it and not ended (law 3)
        self.marked = not barrier and is_marked(owner)  # law 4: opened later, inherits
        self.leaving = False
        self.timer = None


def is_marked(branch):
    return branch.scope.marked if branch.scope else branch.activity.marked


class Variables:
    """A function's variables, or the copies that an async or activate body has of some, seen before the others."""

    def __init__(self, values, outer=None):
        self.values, self.outer = values, outer

    def place(self, name):
        return self.values if name in self.values else self.outer.place(name)

    def __getitem__(self, name):
        return self.place(name)[name]

    def __setitem__(self, name, value):
        self.place(name)[name] = value & 0xFFFFFF


class Timer:
    def __init__(self, when, number, action, cell):
        self.when, self.number, self.action, self.cell = when, number, action, cell

    def order(self):
        return self.when, self.number


class TooLong(Exception):
    pass


def starts_branches(statements):
    """Is there an async in them that belongs to no finish in them?"""
    for s in statements:
        match s:
            case Async():
                return True
            case Loop(body=body) if starts_branches(body):
                return True
            case If(then=then, otherwise=otherwise) if starts_branches(then) or starts_branches(otherwise):
                return True
    return False


class Machine:
    def __init__(self, program, limit):
        self.program, self.limit = program, limit
        self.trace = []
        self.counts = list(program.semaphores)
        self.waiting = [[] for _ in self.counts]
        self.handles = {}
        self.queue = deque()  # of branches, one for each active activity
        self.current = None
        self.now, self.timers, self.registered = 0, [], 0

    # ---- becoming ready, and whose turn it is (law 2) ----

    def wake(self, branch, result):
        """Its wait is over, and it is registered nowhere any more."""
        if branch.list is not None:
            branch.list.remove(branch)
        if branch.timer in self.timers:  # and has not just fired
            self.timers.remove(branch.timer)
        branch.list = branch.timer = None
        branch.cancellable, branch.result = False, result
        activity = branch.activity
        if activity.active:
            activity.ready.append(branch)
        else:
            activity.active = True
            self.queue.append(branch)

    def spawn(self, code):
        activity = Activity()
        activity.first = Branch(activity, code)
        activity.active = True
        self.queue.append(activity.first)
        return activity

    def run(self):
        main = self.spawn(self.call(len(self.program.functions) - 1, 0))
        while True:
            while not self.queue:
                if not self.timers:
                    return self.trace, "deadlock"
                self.let_time_pass()
            branch = self.current = self.queue.popleft()
            activity = branch.activity
            try:
                if next(branch.code) is PAUSES:  # law 1: the whole activity, to go on exactly there
                    self.queue.append(branch)
                    continue
            except StopIteration:
                if activity is main and branch is main.first:
                    return self.trace, "done"
                self.end(branch)
            if activity.ready:
                self.queue.appendleft(activity.ready.popleft())
            else:
                activity.active = False

    def end(self, branch):
        scope = branch.home
        if scope:
            scope.branches.remove(branch)
            if scope.leaving and not scope.branches:
                self.wake(scope.owner, DONE)
        else:
            branch.activity.finished = True
            while branch.activity.waiting:
                self.wake(branch.activity.waiting[0], DONE)

    # ---- waiting (law 8) ----

    def wait(self, on=None, timeout=None, late=TIMED_OUT):
        """On a list of waiting branches, for so many ns, or both."""
        branch = self.current
        branch.list, branch.cancellable = on, True
        if on is not None:
            on.append(branch)
        if timeout is not None:
            # A timer knows its branch by this cell: `async` may move the wait to another (self.move).
            cell = [branch]
            branch.timer = self.at(timeout, lambda: self.wake(cell[0], late), cell)
        yield BLOCKS
        return self.current.result

    def move(self, old, new):
        """The wait that `old` has just begun is `new`'s."""
        new.list, new.timer, new.cancellable = old.list, old.timer, old.cancellable
        old.list = old.timer = None
        old.cancellable = False
        if new.list is not None:
            new.list[new.list.index(old)] = new
        if new.timer:
            new.timer.cell[0] = new

    def at(self, delay, action, cell=None):
        self.registered += 1
        timer = Timer(self.now + delay, self.registered, action, cell)
        self.timers.append(timer)
        return timer

    def let_time_pass(self):
        first = min(self.timers, key=Timer.order)
        self.now = first.when
        while first and first.when <= self.now:
            self.timers.remove(first)
            first.action()
            first = min(self.timers, key=Timer.order, default=None)

    # ---- statements; each returns None, or what the function returns ----

    def call(self, function, x):
        variables = Variables({"x": x, "a": 1, "b": 2})
        result = yield from self.block_of(self.program.functions[function].body, variables, {})
        return 0 if result is None else result

    def block_of(self, statements, variables, labels):
        for statement in statements:
            self.limit -= 1
            if self.limit < 0:
                raise TooLong
            rule = getattr(self, type(statement).__name__)
            result = yield from rule(statement, variables, labels)
            if result is not None:
                return result
        return None

    def Print(self, s, v, labels):
        self.trace.append(f"{s.number} {v[s.variable]}")
        return
        yield

    def Assign(self, s, v, labels):
        v[s.variable] = v[s.other] * 3 + s.constant
        return
        yield

    def Cancelled(self, s, v, labels):
        v[s.variable] = int(is_marked(self.current))
        return
        yield

    def Post(self, s, v, labels):
        if self.waiting[s.semaphore]:
            self.wake(self.waiting[s.semaphore][0], DONE)
        else:
            self.counts[s.semaphore] += 1
        return
        yield

    def Wait(self, s, v, labels):
        if is_marked(self.current):
            v[s.variable] = CANCELLED
        elif self.counts[s.semaphore]:
            self.counts[s.semaphore] -= 1
            v[s.variable] = DONE
        else:
            v[s.variable] = yield from self.wait(self.waiting[s.semaphore], s.timeout)

    def Sleep(self, s, v, labels):
        if is_marked(self.current):
            v[s.variable] = CANCELLED
        elif s.duration == 0:
            yield PAUSES
            v[s.variable] = DONE
        else:
            v[s.variable] = yield from self.wait(timeout=s.duration, late=DONE)

    def Reschedule(self, s, v, labels):
        yield PAUSES

    def Call(self, s, v, labels):
        v[s.variable] = yield from self.call(s.function, v[s.other])

    def Return(self, s, v, labels):
        return v[s.variable]
        yield

    def Loop(self, s, v, labels):
        for _ in range(s.times):
            result = yield from self.block_of(s.body, v, labels)
            if result is not None:
                return result

    def If(self, s, v, labels):
        return (yield from self.block_of(s.then if v[s.variable] & 1 else s.otherwise, v, labels))

    def Finish(self, s, v, labels):
        scope = self.enter(barrier=False)
        if s.deadline is not None:
            self.set_deadline(scope, s.deadline)
        result = yield from self.block_of(s.body, v, {**labels, s.label: scope})
        if scope.branches:  # also on the way out of a `return`, whose value has been computed
            scope.leaving = True
            yield BLOCKS
        self.leave(scope)
        return result

    def Noncancellable(self, s, v, labels):
        scope = self.enter(barrier=True)
        result = yield from self.block_of(s.body, v, labels)
        self.leave(scope)
        return result

    def Async(self, s, v, labels):
        # Law 7: it starts at once, in the running branch. Law 1: if it does not block, that is all.
        branch, home = self.current, self.current.scope
        body = self.body_of(s, Variables({name: v[name] for name in s.copies}, v), labels)
        try:
            while next(body) is PAUSES:  # and with it this one: no sibling runs in between
                yield PAUSES
        except StopIteration:
            return
        # It has blocked: what waits, and the scopes opened in it, are a new branch's, and this one goes on (law 2).
        started = Branch(branch.activity, body)
        started.home, started.scope = home, branch.scope
        self.move(branch, started)
        scope = branch.scope
        while scope is not home:
            scope.owner, scope = started, scope.outer
        branch.scope = home
        home.branches.append(started)

    def body_of(self, s, v, labels):
        """Branches that the body starts may use its variables: so it has a scope of its own, and waits for them."""
        if starts_branches(s.body):
            yield from self.Finish(Finish("", s.body), v, labels)
        else:
            yield from self.block_of(s.body, v, labels)

    def Activate(self, s, v, labels):
        # Law 7: it queues. Its variables are the spawner's, but for the copies.
        if s.handle is None or s.handle not in self.handles:
            activity = self.spawn(self.block_of(s.body, Variables({name: v[name] for name in s.copies}, v), {}))
            if s.handle is not None:
                self.handles[s.handle] = activity
        return
        yield

    def Join(self, s, v, labels):
        activity = self.handles.get(s.handle)
        if is_marked(self.current):
            v[s.variable] = CANCELLED
        elif activity is None or (activity is self.current.activity and not activity.finished):
            v[s.variable] = REFUSED
        elif activity.finished:
            v[s.variable] = DONE
        else:
            v[s.variable] = yield from self.wait(activity.waiting)

    # ---- scopes (laws 3 and 4) ----

    def enter(self, barrier):
        scope = self.current.scope = Scope(self.current, barrier)
        return scope

    def set_deadline(self, scope, delay):
        def passes():
            scope.timer = None
            self.cancel(scope)

        if delay == 0:
            self.cancel(scope)
        else:
            scope.timer = self.at(delay, passes)

    def leave(self, scope):
        assert scope.owner is self.current and self.current.scope is scope
        if scope.timer:
            self.timers.remove(scope.timer)
        self.current.scope = scope.outer

    def Cancel(self, s, v, labels):
        self.cancel(labels[s.label])
        return
        yield

    def CancelActivity(self, s, v, labels):
        activity = self.handles.get(s.handle)
        if activity and not activity.finished and not activity.marked:
            activity.marked = True
            root = activity.first.scope
            while root and root.outer:
                root = root.outer
            if not root:
                self.end_wait(activity.first)
            elif not root.barrier:
                self.cancel(root)
        return
        yield

    def end_wait(self, branch):
        if branch.cancellable:
            self.wake(branch, CANCELLED)

    def cancel(self, first):
        """Innermost first, and not behind a barrier (law 4)."""
        if first.marked:
            return
        found = [first]

        def chain(branch, limit):
            inside, scope = [], branch.scope
            while scope is not limit:
                inside = [] if scope.barrier or scope.marked else [scope] + inside
                scope = scope.outer
            found.extend(inside)

        chain(first.owner, first)
        for scope in found:  # grows
            for branch in scope.branches:
                chain(branch, scope)
        for scope in found:
            scope.marked = True
        for scope in reversed(found):
            for branch in [scope.owner] + scope.branches:
                if branch.scope is scope:
                    self.end_wait(branch)


def run(program, limit=20000):
    """The trace, a list of lines, and "done" or "deadlock". Raises TooLong after so many statements."""
    return Machine(program, limit).run()
