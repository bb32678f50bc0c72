"""What programs of the reference semantics are made of: a tree of these.

Variables are a function's "a" and "b", its parameter "x", and "d", how deep it may call itself yet. A statement that
calls something which waits stores what that returned: DONE, CANCELLED, TIMED_OUT or REFUSED; an Operate says more.
"""

from dataclasses import dataclass, field

DONE, CANCELLED, TIMED_OUT, REFUSED = range(4)
CLOSED, AGAIN, BUSY, ALREADY, NOT_PERMITTED, WOULD_DEADLOCK, INVALID, LAST = range(4, 12)
FOREVER = 0xFFFFFF  # a deadline that is none
HANDLES, WAITERS, SLOTS = 3, 3, 2


class TooLong(Exception):
    """Nothing is said about this program."""


# ---- variables and ways ----


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
class Call:  # variable = function(other), which may call itself so deep
    variable: str
    function: int
    other: str
    depth: int = 0


@dataclass
class Recur:  # variable = the function around it (other), unless d is 0
    variable: str
    other: str


@dataclass
class Through:  # as Call, through a function that calls setjmp, or through plain code, so that all inside is plain
    variable: str
    function: int
    other: str
    through: str  # "callback", "setjmp", "module"


@dataclass
class Return:
    variable: str


@dataclass
class Loop:
    times: int
    body: list


@dataclass
class Break:
    pass


@dataclass
class Continue:
    pass


@dataclass
class If:  # if variable is odd
    variable: str
    then: list
    otherwise: list


@dataclass
class Goto:  # after the finish of that label, around it
    label: str


# ---- semaphores, time ----


@dataclass
class Post:
    semaphore: int


@dataclass
class Wait:  # for so many ns at most, if there is a timeout
    variable: str
    semaphore: int
    timeout: int | None = None


@dataclass
class TryWait:  # DONE or REFUSED
    variable: str
    semaphore: int


@dataclass
class Destroy:  # REFUSED: somebody waited, who gets CANCELLED. It can be used again
    variable: str
    semaphore: int


@dataclass
class Sleep:  # 0 ns: give way once
    variable: str
    duration: int


@dataclass
class Reschedule:
    pass


# ---- the low-level interface ----


@dataclass
class Suspend:  # REFUSED: somebody is suspended there
    variable: str
    waiter: int
    how: str  # "suspend"; "unlock", while a spinlock is held; "wait", which a cancel ends


@dataclass
class Schedule:
    waiter: int


@dataclass
class YieldTo:
    waiter: int


@dataclass
class Say:  # prints the number of the statement
    number: int


@dataclass
class Item:  # a cancel item for the time of the body, which does what `action` says: a Post, Schedule or Say
    variable: str  # DONE, or CANCELLED: it was not added
    action: object
    body: list


# ---- branches ----


@dataclass
class Cancelled:  # variable = is the mark visible here?
    variable: str


@dataclass
class Finish:
    label: str
    body: list
    deadline: int | None = None  # `within (ns)`
    failures: int | None = None  # it has a list of failures, which is printed after it as this number


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


# ---- activities ----


@dataclass
class Atomic:
    body: list
    policy: str = ""  # "delay" or "contained": what becomes of activities that are spawned in it; "": as around it


@dataclass
class Activate:
    body: list
    copies: list = field(default_factory=list)
    handle: int | None = None  # if there is one it is done once: a handle is for one activity
    contained: bool = False
    into: int | None = None  # the slot of a scope, see Here; then it has no handle


@dataclass
class Join:  # REFUSED: there is no such activity, it was detached, or it is one's own
    variable: str
    handle: int


@dataclass
class Detach:  # REFUSED: there is none, or not any more
    variable: str
    handle: int


@dataclass
class CancelActivity:
    handle: int


# ---- objects of charcoal/channel.h, future.h and locks.h ----


@dataclass
class Operate:
    """variable = what the call `verb` of that object returns; VERBS says what they are and what `other` is."""

    variable: str
    verb: str
    number: int  # which one of its kind
    other: object = None


# verb: kind of object, what `other` is. "into" and "from": a variable for a message; "value": a variable, a copy of
# which is the message; "n": a number; "mutex": the number of one.
VERBS = {
    "send": ("channel", "from"), "send value": ("channel", "value"), "receive": ("channel", "into"),
    "try send": ("channel", "from"), "try receive": ("channel", "into"), "close": ("channel", None),
    "length": ("channel", None), "is closed": ("channel", None), "renew": ("channel", None),
    "send some": ("channel", "n"), "receive some": ("channel", "n"),
    "get": ("future", "into"), "set": ("future", "value"), "fail": ("future", "n"), "reset": ("future", None),
    "is set": ("future", None),
    "lock": ("mutex", None), "hold": ("mutex", None), "try lock": ("mutex", None), "unlock": ("mutex", None),
    "destroy mutex": ("mutex", None),
    "read lock": ("rwlock", None), "write lock": ("rwlock", None), "try read lock": ("rwlock", None),
    "read hold": ("rwlock", None), "write hold": ("rwlock", None),
    "try write lock": ("rwlock", None), "rw unlock": ("rwlock", None), "destroy rwlock": ("rwlock", None),
    "take": ("permits", "n"), "try take": ("permits", "n"), "give": ("permits", "n"),
    "destroy permits": ("permits", None),
    "latch wait": ("latch", None), "latch add": ("latch", "n"), "latch done": ("latch", None),
    "destroy latch": ("latch", None),
    "condition wait": ("condition", "mutex"), "signal": ("condition", None), "broadcast": ("condition", None),
    "destroy condition": ("condition", None),
    "barrier wait": ("barrier", None), "destroy barrier": ("barrier", None),
}
# Those that can stand in a `waituntil`; of these those that cannot beside `and`, those whose lock is held for the body,
# and those that pass several messages.
BATCHES = ["send some", "receive some"]
HOLDS = ["hold", "read hold", "write hold"]
HELD = ["lock", "read lock", "write lock"]
WAITABLE = ["send", "send value", "receive", "get", "take", "latch wait", *HELD, *HOLDS, *BATCHES]
GIVES_BACK = {"lock": "unlock", "hold": "unlock", "try lock": "unlock", "read lock": "rw unlock",
              "write lock": "rw unlock", "read hold": "rw unlock", "write hold": "rw unlock",
              "take": "give"}
# How they begin: room of the channels, whether a mutex is recursive, free permits, counts of latches, sizes of rounds.
CHANNELS, FUTURES, RECURSIVE, RWLOCKS, PERMITS, LATCHES, CONDITIONS, BARRIERS = (
    [0, 1, 3], 2, [False, False, True], 2, [2, 5], [0, 2], 2, [2])


# ---- waituntil ----


@dataclass
class Clause:  # when (guard is odd) waituntil (variable = call) body
    number: int  # printed as the guard is evaluated, number + 1 as the argument is, + 2 as the result's place is
    call: object  # an Operate of WAITABLE, a Wait without timeout, a Sleep or a Join
    body: list
    guard: str | None = None


@dataclass
class Several:  # clauses, or brackets with clauses, with one operator between each
    parts: list
    operators: list  # "or", "and"; one fewer; `and` binds tighter


@dataclass
class Waituntil:
    clauses: Several
    otherwise: list | None = None
    fair: bool = False


# ---- scopes that are handed over ----


@dataclass
class Here:  # for the length of the body, others find the scope around this in that slot
    slot: int
    body: list


@dataclass
class CancelScope:  # of the slot, if there is one
    slot: int


@dataclass
class Collect:  # the scope around it collects failures from now on; `label` names the list, see Finish
    label: str


@dataclass
class Fail:
    error: int  # 0: none; CANCELLED or more


@dataclass
class SetResult:  # variable = DONE, or NOT_PERMITTED: it has no handle
    variable: str
    other: str


@dataclass
class Result:  # variable = what that activity has left, or its error
    variable: str
    handle: int
    error: bool


@dataclass
class Deadline:  # variable = the deadline of the scope in the slot, or, without, the earliest of all around
    variable: str
    slot: int | None


@dataclass
class MoveDeadline:  # of the scope in the slot, if there is one: in so many ns; none: never
    variable: str
    slot: int
    delay: int | None


@dataclass
class Now:
    variable: str


# ---- the whole ----


@dataclass
class Function:  # one parameter "x", locals "a" and "b", which begin as 1 and 2
    body: list
    # What only compilers see: the type of parameter and result, and further locals, which nothing may change.
    kind: str = "int"
    locals: tuple = ()


@dataclass
class Program:
    functions: list  # the last one is main; a function calls earlier ones, and itself by Recur
    semaphores: list  # initial counts
