"""The reference semantics: what a program of the dialect does, one case per construct.

A program is a tree of statements (statements.py). `run` executes it on the machine of DESIGN's section 1: activities,
their branches, scopes, semaphores, a clock; and returns its trace and how it ended. It knows nothing of compilers,
frames or stacks: a branch is a Python generator, and to block is to yield. Only plain code cannot be left: what waits
in there waits inside a loop of its own, as the runtime does. What else the laws leave open is decided as there, too (in
which order one `cancel` wakes several branches). Time stands still while anything can run.

Yield points do not occur, but for the explicit ones: in a program with one activity they change nothing (law 1), and
programs with several are compared without them. So a program has exactly one outcome.

Sources: AC, section 3 (operational semantics); the laws by number.
"""

import sys
from collections import deque

from scopes import Scopes, summary
from statements import *
from waits import Waits, clauses_of

BLOCKS, PAUSES, CONTINUES = "blocks", "pauses", "continues"  # what a branch yields (law 1)
STAYS = "stays"  # it blocks in plain code: all that it stands in stays on its native stack, and waits with it
NESTED = 60  # native waits inside each other

# ---- the machine ----


class Group:
    """Whose activities may run together: all ordinary ones, or those contained in one atomic block (law 6)."""

    def __init__(self):
        self.queue = deque()  # of branches, one for each active activity
        self.live = 0  # activities that have not finished


class Activity:
    def __init__(self, group):
        self.group = group
        self.ready = deque()  # branches of it that may run (law 2: first in, first out)
        self.active = False  # one of them runs or is queued
        self.first = None
        self.marked = False
        self.finished = False
        self.detached = False
        self.waiting = []  # branches that join it
        self.items = []  # added while no scope was open
        self.branches = 1
        self.into = None  # the scope that it was spawned into
        self.has_handle = False
        self.result, self.failure = 0, DONE  # what it leaves behind
        self.yielded = []  # branches that have given way to a sibling and were not yet set aside


class Branch:
    def __init__(self, activity, code):
        self.activity, self.code = activity, code
        self.scope = None  # innermost open one; None: the one around the activity's body
        self.home = None  # the scope that it was started in, if `async` started it
        self.list = None  # of those who wait for the same, if there is one; it holds the branch
        self.timer = None
        self.statement = None  # that it waits in; see waits.py
        self.cancellable = False  # it waits, and a cancel ends that
        self.result = None
        self.plain = 0  # calls through plain code that it is in, and atomic blocks
        self.blocks = []  # for each atomic block that it is in the group of those contained there, or None
        self.policies = []  # of those of them that name one
        self.native = False  # it waits in an atomic block
        self.back = False  # and that is over, though it has not gone on yet


class Scope:
    def __init__(self, owner, barrier):
        self.outer, self.owner, self.barrier = owner.scope, owner, barrier
        self.branches = []  # started in it and not ended (law 3)
        self.items = []
        self.marked = not barrier and is_marked(owner)  # law 4: opened later, inherits
        self.leaving = False
        self.timer, self.when = None, FOREVER
        self.members = []  # activities that were spawned into it and have not finished
        self.errors = None  # a list, if it collects failures

    def is_over(self):
        return not self.branches and not self.members


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


class Over(Exception):
    pass


class Way:
    """How a block of statements is left early."""

    def __init__(self, kind, value=None):
        self.kind, self.value = kind, value


def starts_branches(statements):
    """Is there an async in them that belongs to no finish in them?"""
    for s in statements:
        match s:
            case Async():
                return True
            case If(then=then, otherwise=otherwise):
                if starts_branches(then) or starts_branches(otherwise):
                    return True
            case Loop(body=body) | Atomic(body=body) | Item(body=body) | Here(body=body):
                if starts_branches(body):
                    return True
            case Waituntil(clauses=clauses, otherwise=otherwise):
                bodies = [clause.body for clause in clauses_of(clauses)] + [otherwise or []]
                if any(starts_branches(body) for body in bodies):
                    return True
    return False


class Machine(Waits, Scopes):
    def __init__(self, program, limit):
        self.program, self.limit = program, limit
        self.trace = []
        self.counts = list(program.semaphores)
        self.waiting = [[] for _ in self.counts]
        self.suspended = [[] for _ in range(WAITERS)]
        self.kept = [False] * WAITERS  # a schedule that came first
        self.busy = [False] * WAITERS
        self.handles = {}
        self.base = Group()
        self.current = None
        self.depth = 0
        self.now, self.timers, self.registered = 0, [], 0
        self.begin_waits()
        self.begin_scopes()

    # ---- becoming ready, and whose turn it is (law 2) ----

    def wake(self, branch, result, first=False):
        """Its wait is over, and it is registered nowhere any more."""
        if branch.list is not None:
            branch.list.remove(branch)
        if branch.timer in self.timers:  # and has not just fired
            self.timers.remove(branch.timer)
        branch.list = branch.timer = branch.statement = None
        branch.cancellable, branch.result = False, result
        activity = branch.activity
        if branch.native:
            branch.back = True
            return
        queue = activity.ready if activity.active else activity.group.queue
        activity.active = True
        if first:
            queue.appendleft(branch)
        else:
            queue.append(branch)

    def spawn(self, code, group):
        activity = Activity(group)
        activity.first = Branch(activity, code)
        activity.active = True
        group.live += 1
        group.queue.append(activity.first)
        return activity

    def run(self):
        self.main = self.spawn(self.call(len(self.program.functions) - 1, 0, 0), self.base)
        try:
            self.loop(self.base, lambda: False, None)
        except Over as over:
            return self.trace, over.args[0]

    def loop(self, group, done, waits):
        """`waits`: the branch in plain code for which this loop runs, if there is one."""
        while not done():
            if group.queue:
                self.turn(group.queue.popleft())
            elif self.can_be_helped(group, waits):
                self.let_time_pass()
            else:
                raise Over("deadlock")

    def turn(self, branch):
        self.current = branch
        activity = branch.activity
        try:
            what = next(branch.code)
        except StopIteration:
            what = self.end(branch)
        if what is PAUSES:  # law 1: the whole activity, to go on exactly there
            activity.group.queue.append(branch)
        elif what is CONTINUES:  # law 2: it keeps the turn
            activity.group.queue.appendleft(branch)
        else:
            self.rests(activity)

    def rests(self, activity):
        """The branch that ran has blocked or ended: its activity keeps the turn, if another is ready."""
        if activity.ready:
            activity.group.queue.appendleft(activity.ready.popleft())
        else:
            activity.active = False
        self.wake_yielded(activity)

    def wake_yielded(self, activity):
        yielded, activity.yielded = activity.yielded, []
        for branch in list(yielded):
            self.wake(branch, None)

    def end(self, branch):
        scope, activity = branch.home, branch.activity
        if scope:
            activity.branches -= 1
            scope.branches.remove(branch)
            self.goes_on_behind(scope)
            return
        activity.finished = True
        self.gives_back_locks(activity)
        activity.group.live -= 1
        while activity.waiting:
            self.serve_first(activity.waiting, DONE)
        if activity.into:
            activity.into.members.remove(activity)
            self.goes_on_behind(activity.into)
        if activity is self.main:
            raise Over("done")

    # ---- waiting (law 8) ----

    def wait(self, on=None, timeout=None, late=TIMED_OUT, cancellable=True):
        """On a list of waiting branches, for so many ns, or both."""
        branch = self.current
        branch.list, branch.cancellable = on, cancellable
        if on is not None:
            on.append(branch)
        if timeout is not None:
            # A timer knows its branch by this cell: `async` may move the wait to another (self.move).
            cell = [branch]
            branch.timer = self.at(timeout, lambda: self.wake(cell[0], late), cell)
        if branch.blocks:
            return self.wait_here()
        yield STAYS if branch.plain else BLOCKS
        return self.current.result

    def wait_here(self):
        """In an atomic block: meanwhile those run that are contained in it (law 5)."""
        branch = self.current
        branch.native, branch.back = True, False
        self.nested(branch.blocks[-1] or Group(), lambda: branch.back, branch)
        branch.native = False
        return branch.result

    def nested(self, group, done, waits):
        branch, self.depth = self.current, self.depth + 1
        if self.depth > NESTED:
            raise TooLong
        self.loop(group, done, waits)
        self.current, self.depth = branch, self.depth - 1

    def can_be_helped(self, group, waits):
        """Law 5: an event that is still to come can make somebody of the group go on, or end this wait."""
        around, scope = [], waits.scope if waits else None
        while scope:
            around.append(scope.timer)
            scope = None if scope.barrier else scope.outer
        own = waits and waits.statement and waits.statement.cell
        # Who is suspended at a low-level waiter could be scheduled by another thread: time passes meanwhile.
        if any(b is waits or b.activity.group is group for suspended in self.suspended for b in suspended):
            return bool(self.timers)
        return any(timer in around or (waits and timer is waits.timer) or (own and timer.cell is own) or
                   timer.cell[0].activity.group is group for timer in self.timers)

    def move(self, old, new):
        """The wait that `old` has just begun is `new`'s."""
        new.list, new.timer, new.statement, new.cancellable = old.list, old.timer, old.statement, old.cancellable
        old.list = old.timer = old.statement = None
        old.cancellable = False
        if new.statement:
            new.statement.cell[0] = new
        if new.list is not None:
            new.list[new.list.index(old)] = new
        if new.timer:
            new.timer.cell[0] = new

    def at(self, delay, action, cell):
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

    # ---- statements; each returns None, or a Way ----

    def call(self, function, x, depth):
        f = self.program.functions[function]
        variables = Variables({"x": x, "a": 1, "b": 2, "d": depth, "function": function})
        way = yield from self.block_of(f.body, variables, {})
        return 0 if way is None else way.value

    def block_of(self, statements, variables, labels):
        for statement in statements:
            self.limit -= 1
            if self.limit < 0:
                raise TooLong
            rule = getattr(self, type(statement).__name__)
            way = yield from rule(statement, variables, labels)
            if way is not None:
                return way
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
        waiting = self.waiting[s.semaphore]
        while waiting:
            if self.serve_first(waiting, DONE):
                return
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

    def TryWait(self, s, v, labels):
        there = self.counts[s.semaphore] > 0
        self.counts[s.semaphore] -= there
        v[s.variable] = DONE if there else REFUSED
        return
        yield

    def Destroy(self, s, v, labels):
        waiting = self.waiting[s.semaphore]
        v[s.variable] = REFUSED if waiting else DONE
        self.counts[s.semaphore] = 0
        while waiting:
            self.serve_first(waiting, CANCELLED)
        return
        yield

    def Sleep(self, s, v, labels):
        if is_marked(self.current):
            v[s.variable] = CANCELLED
        elif s.duration == 0:
            yield from self.Reschedule(s, v, labels)
            v[s.variable] = DONE
        else:
            v[s.variable] = yield from self.wait(timeout=s.duration, late=DONE)

    def Reschedule(self, s, v, labels):
        if not self.current.plain:
            yield PAUSES

    def Call(self, s, v, labels):
        v[s.variable] = yield from self.call(s.function, v[s.other], s.depth)

    def Recur(self, s, v, labels):
        if v["d"]:
            v[s.variable] = yield from self.call(v["function"], v[s.other], v["d"] - 1)

    def Through(self, s, v, labels):
        plain = s.through != "setjmp"
        self.current.plain += plain
        v[s.variable] = yield from self.call(s.function, v[s.other], 0)
        self.current.plain -= plain

    def Return(self, s, v, labels):
        return Way("return", v[s.variable])
        yield

    def Break(self, s, v, labels):
        return Way("break")
        yield

    def Continue(self, s, v, labels):
        return Way("continue")
        yield

    def Goto(self, s, v, labels):
        return Way("goto", labels[s.label])
        yield

    def Loop(self, s, v, labels):
        for _ in range(s.times):
            way = yield from self.block_of(s.body, v, labels)
            if way and way.kind == "break":
                return
            if way and way.kind != "continue":
                return way

    def If(self, s, v, labels):
        return (yield from self.block_of(s.then if v[s.variable] & 1 else s.otherwise, v, labels))

    # ---- the low-level interface ----

    def Suspend(self, s, v, labels):
        w = s.waiter
        if self.busy[w]:
            v[s.variable] = REFUSED
            return
        self.busy[w] = True
        if s.how == "wait" and is_marked(self.current):
            result = CANCELLED
        elif self.kept[w]:
            self.kept[w], result = False, DONE
        else:
            result = yield from self.wait(self.suspended[w], cancellable=s.how == "wait")
        v[s.variable] = result
        self.busy[w] = False

    def Schedule(self, s, v, labels):
        if self.suspended[s.waiter]:
            self.wake(self.suspended[s.waiter][0], DONE)
        else:
            self.kept[s.waiter] = True
        return
        yield

    def YieldTo(self, s, v, labels):
        there, branch = self.suspended[s.waiter], self.current
        if not there or branch.plain:
            yield from self.Schedule(s, v, labels)
            return
        sibling = there[0].activity is branch.activity
        self.wake(there[0], DONE, first=True)
        if sibling:
            yield from self.wait(branch.activity.yielded, cancellable=False)
        else:
            yield PAUSES

    def Say(self, s, v, labels):
        self.trace.append(f"{s.number} 0")
        return
        yield

    def Item(self, s, v, labels):
        branch = self.current
        items = branch.scope.items if branch.scope else branch.activity.items
        item = [s.action, v]
        v[s.variable] = CANCELLED if is_marked(branch) else DONE
        if not is_marked(branch):
            items.append(item)
        yield from self.block_of(s.body, v, labels)
        items[:] = [other for other in items if other is not item]

    # ---- finish and async (laws 1 to 4) ----

    def Finish(self, s, v, labels):
        scope = self.enter(barrier=False)
        errors = labels[s.label + " errors"] = []
        if s.deadline is not None:
            self.set_deadline(scope, s.deadline)
        way = yield from self.block_of(s.body, v, {**labels, s.label: scope})
        yield from self.leave(scope)  # also on the way out of a `return`, whose value has been computed
        if way and way.kind == "goto" and way.value is scope:
            way = None
        if way is None and s.failures is not None:
            self.trace.append(f"{s.failures} {summary(errors)}")
        return way

    def Noncancellable(self, s, v, labels):
        scope = self.enter(barrier=True)
        way = yield from self.block_of(s.body, v, labels)
        yield from self.leave(scope)
        return way

    def Async(self, s, v, labels):
        # Law 7: it starts at once, in the running branch. Law 1: if it does not block, that is all.
        branch, home = self.current, self.current.scope
        body = self.body_of(s, Variables({name: v[name] for name in s.copies}, v), labels)
        paused = False
        try:
            while (what := next(body)) is not BLOCKS:  # and with it this one: no sibling runs in between
                paused = paused or what is not STAYS
                yield what
        except StopIteration:
            return
        # It has blocked: what waits, and the scopes opened in it, are a new branch's, and this one goes on (law 2).
        started = Branch(branch.activity, body)
        branch.activity.branches += 1
        started.home, started.scope = home, branch.scope
        self.move(branch, started)
        scope = branch.scope
        while scope is not home:
            scope.owner, scope = started, scope.outer
        branch.scope = home
        home.branches.append(started)
        self.wake_yielded(branch.activity)
        if paused:  # it has left the native stack: who waits there in plain code goes on before
            yield CONTINUES

    def body_of(self, s, v, labels):
        """Branches that the body starts may use its variables: so it has a scope of its own, and waits for them."""
        if starts_branches(s.body):
            yield from self.Finish(Finish("", s.body), v, labels)
        else:
            yield from self.block_of(s.body, v, labels)

    # ---- atomic, and activities ----

    def Atomic(self, s, v, labels):
        branch = self.current
        branch.plain += 1
        branch.blocks.append(None)
        outer, branch.policies = branch.policies, branch.policies + [s.policy] * bool(s.policy)
        way = yield from self.block_of(s.body, v, labels)
        branch.policies = outer
        # Law 6: it does not end before those contained in it.
        group = branch.blocks.pop()
        branch.plain -= 1
        if group and group.live:
            self.nested(group, lambda: not group.live, None)
        return way

    def Activate(self, s, v, labels):
        # Law 7: it queues. Its variables are the spawner's, but for the copies. Law 6: until after the atomic block.
        if s.handle is None or s.handle not in self.handles:
            code = self.block_of(s.body, Variables({name: v[name] for name in s.copies}, v), {})
            contained = s.contained or self.current.policies[-1:] == ["contained"]
            activity = self.spawn(code, self.contained() if contained else self.base)
            if s.handle is not None:
                self.handles[s.handle] = activity
                activity.has_handle = True
            if s.into is not None:
                self.join_scope(activity, self.slots[s.into])
        return
        yield

    def contained(self):
        blocks = self.current.blocks
        if not blocks:
            return self.current.activity.group
        blocks[-1] = blocks[-1] or Group()
        return blocks[-1]

    def Join(self, s, v, labels):
        activity = self.handles.get(s.handle)
        if is_marked(self.current):
            v[s.variable] = CANCELLED
        elif activity is None or activity.detached or (activity is self.current.activity and not activity.finished):
            v[s.variable] = REFUSED
        elif activity.finished:
            v[s.variable] = DONE
        else:
            v[s.variable] = yield from self.wait(activity.waiting)

    def Detach(self, s, v, labels):
        activity = self.handles.get(s.handle)
        if activity is None or activity.detached:
            v[s.variable] = REFUSED
            return
        activity.detached, activity.has_handle = True, False
        while activity.waiting:
            self.serve_first(activity.waiting, REFUSED)
        v[s.variable] = DONE
        return
        yield

    # ---- scopes (laws 3 and 4) ----

    def enter(self, barrier):
        scope = self.current.scope = Scope(self.current, barrier)
        return scope

    def leave(self, scope):
        if not scope.is_over():
            scope.leaving = True
            yield from self.wait(cancellable=False)
        assert scope.owner is self.current and self.current.scope is scope
        if scope.timer:
            self.timers.remove(scope.timer)
        self.current.scope = scope.outer

    def goes_on_behind(self, scope):
        if scope.leaving and scope.is_over():
            self.wake(scope.owner, DONE)

    def Cancel(self, s, v, labels):
        self.cancel(labels[s.label])
        return
        yield

    def CancelActivity(self, s, v, labels):
        activity = self.handles.get(s.handle)
        if activity and not activity.finished and not activity.detached:
            self.cancel_activity(activity)
        return
        yield

    def cancel_activity(self, activity):
        if activity.marked:
            return
        activity.marked = True
        root = activity.first.scope
        while root and root.outer:
            root = root.outer
        if root and not root.barrier:
            self.cancel(root)
        self.call_items(activity.items)
        if not root:
            self.end_wait(activity.first)

    def call_items(self, items):
        while items:
            action, variables = items.pop(0)
            for _ in getattr(self, type(action).__name__)(action, variables, {}):
                assert False, "what a cancel calls does not wait"

    def end_wait(self, branch):
        if branch.cancellable:
            self.cancel_wait(branch)

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
            self.call_items(scope.items)
            for branch in [scope.owner] + scope.branches:
                if branch.scope is scope:
                    self.end_wait(branch)
            self.cancel_members(scope)


def run(program, limit=20000, seen=None):
    """The trace, a list of lines, and "done" or "deadlock"; what it has met is added to `seen`. Raises TooLong after so
    many statements."""
    sys.setrecursionlimit(1000000)
    machine = Machine(program, limit)
    result = machine.run()
    if seen is not None:
        seen |= machine.seen
    return result
