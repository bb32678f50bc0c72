"""What programs of the reference semantics are made of: a tree of these.

Variables are a function's "a" and "b", its parameter "x", and "d", how deep it may call itself yet. A statement that
calls something which waits stores what that returned: DONE, CANCELLED, TIMED_OUT or REFUSED.
"""

from dataclasses import dataclass, field

DONE, CANCELLED, TIMED_OUT, REFUSED = range(4)
HANDLES, WAITERS = 3, 3


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
class Plainly:  # as Call, through plain code, so that all inside is plain
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
class Goto:  # behind the finish of that label, around it
    label: str


# ---- semaphores, time ----


@dataclass
class Post:
    semaphore: int


@dataclass
class Wait:  # for so many ns at most, if there is a time-out
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
