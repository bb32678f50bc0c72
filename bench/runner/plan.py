"""What is measured: for each benchmark its cases, and how much work a program is given.

A system takes part in a benchmark if its program lies in the benchmark's folder: FOLDER/SYSTEM.SUFFIX. COUNT is chosen
so that a run takes some hundredths of a second, and there are many runs: on a machine that others use as well, the best
of many short runs is what an idle machine would show. A system that is much slower gets less to do, which is fair
because its figure is per unit of work.
"""

from dataclasses import dataclass, field

SYSTEMS = [
    "charcoal",
    "c",
    "c-callbacks",
    "mpi",
    "io_uring",
    "epoll",
    "libuv",
    "nginx",
    "haproxy",
    "redis",
    "splitstack",
    "cxx20",
    "boost-fiber",
    "go",
    "tokio",
    "crossbeam",
    "pthreads",
]

# Metrics whose ratio is turned round, so that above 1 always means that we are ahead.
THE_MORE_THE_BETTER = ("throughput", "served")

# Ways to run one and the same system. The row of the system itself is the best of its variants: the comparison is with
# the peer at its best. Each variant has a row of its own as well, with its name behind the metric.
# name -> (key in the build, environment)
VARIANTS = {
    "go": {"GOMAXPROCS=1": ("", {"GOMAXPROCS": "1"}), "all cores": ("", {})},
    "tokio": {
        "current_thread": ("", {"BENCH_TOKIO": "current_thread"}),
        "multi_thread": ("", {"BENCH_TOKIO": "multi_thread"}),
    },
    "cxx20": {"clang": ("clang", {}), "gcc": ("gcc", {})},
}
# In http, each with the files read from the disk's cache for each answer, and from its own memory or by read.
FILES = {
    "nginx": {"read": ("", {}), "sendfile": ("", {"BENCH_NGINX": "sendfile"})},
    "go": {
        "FileServer": ("", {"GOMAXPROCS": "1"}),
        "memory": ("", {"GOMAXPROCS": "1", "BENCH_GO": "memory"}),
        "memory, all cores": ("", {"BENCH_GO": "memory"}),
    },
}
# In strcmp, ours and plain C each in both ways of writing the loop.
LOOPS = {"figure 12": ("figure_12", {}), "blocks": ("blocks", {})}


# In pingpong, what a receiver does while there is no message.
WAITING = {"bottom half": ("", {}), "giving way": ("giving_way", {})}


def variants(bench, system):
    """{name: (key in the build, environment)} of a system in a benchmark; where there is one way, its name is empty."""
    if bench == "strcmp" and system in ("charcoal", "c"):
        return LOOPS
    if bench == "pingpong" and system == "charcoal":
        return WAITING
    if bench == "http" and system in FILES:
        return FILES[system]
    return VARIANTS.get(system, {"": ("", {})})


@dataclass
class Bench:
    cases: dict  # case -> COUNT
    tiny: dict  # case -> COUNT for the self-test
    fewer: dict = field(default_factory=dict)  # system -> {case -> COUNT}, where it differs; None: cannot be run
    ours_alone: list = field(default_factory=list)  # cases without a counterpart elsewhere
    rounds: int = 5
    paired: bool = False  # values and ratios are medians over the rounds; a ratio compares programs of one round
    fewer_rounds: dict = field(default_factory=dict)  # case -> rounds, where a run takes long
    # Instructions a unit of work, from two runs under callgrind: COUNT pair and units of work done by COUNT.
    probe: dict = field(default_factory=dict)  # case -> (small COUNT, large COUNT)
    units: object = staticmethod(lambda count: count)


CALLS = ("interruptible", "n4", "n8", "atomic")
STRCMP = ("2^4", "2^8", "2^12")
DEPTH = ("1", "10", "100")
ASYNC = ("call", "async", "async-yield")
COMMIT = tuple(f"{kind}-{n}" for n in (1, 2, 4, 8, 16) for kind in ("seq", "event", "async", "batch"))
COMMIT_DOMAINS = ("domains-1", "domains-4", "domains-16")
DISK = tuple(f"{size}-{depth}" for size in ("4k", "64k") for depth in (1, 4, 16, 64, 256, 1024)) + (
    "4k-64-cached",
    "64k-64-cached",
)
PROCESSES = ("callbacks", "one-side", "both-sides")
PINGPONG = (*PROCESSES, "domains")
QUOTES = ("1000", "4000", "10000", "18000")
SELECT = (*(f"{n}{kind}" for kind in ("", "-else", "-2dom") for n in (2, 4, 8)), "overlap", "overlap-fair", "mixed")
FUTURES = ("or", "and", "andor", "orand")
MUTEX = ("free", "contended", "contended-2dom")
CHAN = {
    "pingpong": 500_000,
    "buffered": 5_000_000,
    "buffered-2dom": 1_000_000,
    "skynet": 1_000_000,
    "skynet-async": 1_000_000,
    "ring": 1_000_000,
    "sieve": 1000,
}
TWAIT = {
    "nullfn": 1_000_000,
    "allocation": 1_000_000,
    "wrap": 1_000_000,
    "implicit": 100_000,
    "explicit": 100_000,
    "threads": 100_000,
}
KV = ("get", "set", "get-16", "set-16")
PROXY = ("1k-keepalive", "1m-keepalive")
# The last has idle-bytes, too.
HTTP = ("1k-keepalive", "4k-keepalive", "1m-keepalive", "1k-close", "4k-close", "1m-close", "1k-keepalive-1000")
ECHO = ("throughput", "throughput-100")  # a run has the rows of p99 and idle-bytes, too

BENCHES = {
    "calls": Bench(
        cases={case: 22 for case in CALLS},
        tiny={case: 10 for case in CALLS},
        fewer={
            "cxx20": {"interruptible": 18, "n4": None, "n8": None, "atomic": None},
            "tokio": {"interruptible": 18, "n4": None, "n8": None, "atomic": None},
        },
        rounds=7,
        probe={case: (12, 14) for case in CALLS},
        units=lambda depth: 16 * ((2 << depth) - 1),
    ),
    "strcmp": Bench(
        cases={case: 200 for case in STRCMP},
        tiny={case: 2 for case in STRCMP},
        rounds=7,
        probe={case: (1, 3) for case in STRCMP},
    ),
    "spawn": Bench(
        cases={"spawn-join": 500_000},
        tiny={"spawn-join": 1000},
        fewer={
            "pthreads": {"spawn-join": 1000},
            "go": {"spawn-join": 50_000},
            "tokio": {"spawn-join": 50_000},
            "boost-fiber": {"spawn-join": 50_000},
        },
        rounds=20,
        probe={"spawn-join": (2000, 12_000)},
    ),
    "switch": Bench(
        cases={"1": 1_000_000, "100": 1_000_000, "10000": 1_000_000, "1000000": 10_000_000},
        tiny={"1": 1000, "100": 1000},
        fewer={
            "pthreads": {"1": 50_000, "100": 50_000, "10000": 100_000, "1000000": None},
            "go": {"1": 200_000, "100": 200_000, "10000": 300_000, "1000000": 5_000_000},
            "tokio": {"1": 200_000, "100": 200_000, "10000": 300_000, "1000000": 5_000_000},
            "boost-fiber": {"1": 200_000, "100": 200_000, "10000": 300_000, "1000000": 5_000_000},
        },
        rounds=15,
        fewer_rounds={"10000": 7, "1000000": 3},
        probe={"1": (2000, 12_000), "100": (2000, 12_000)},
    ),
    "memory": Bench(
        cases={"parked": 1_000_000, "parked-handle": 1_000_000, "ring": 1_000_000},
        tiny={"parked": 1000, "parked-handle": 1000, "ring": 1000},
        fewer={"pthreads": {"parked": 5000, "ring": 5000}, "boost-fiber": {"parked": 100_000, "ring": 100_000}},
        ours_alone=["parked-handle"],
        rounds=2,
    ),
    "depth": Bench(
        cases={case: 1_000_000 for case in DEPTH},
        tiny={case: 1000 for case in DEPTH},
        fewer={
            "go": {case: 200_000 for case in DEPTH},
            "tokio": {case: 50_000 for case in DEPTH},
            "boost-fiber": {case: 200_000 for case in DEPTH},
        },
        rounds=15,
        probe={case: (2000, 12_000) for case in DEPTH},
    ),
    "commit": Bench(
        cases={**{case: 20_000 for case in COMMIT}, **{case: 1000 for case in COMMIT_DOMAINS}},
        tiny={case: 400 for case in ("seq-4", "event-4", "async-1", "async-4", "batch-4", "domains-4")},
        fewer={
            "c": {case: None for case in (*COMMIT, *COMMIT_DOMAINS) if not case.startswith("seq")},
            "c-callbacks": {case: None for case in (*COMMIT, *COMMIT_DOMAINS) if case.startswith(("seq", "domains"))},
            "pthreads": dict.fromkeys(COMMIT),
            "go": dict.fromkeys(COMMIT),
        },
        rounds=7,
        fewer_rounds={"domains-16": 3},
    ),
    "select": Bench(
        cases={case: 20_000 if case.endswith(("2dom", "mixed")) else 500_000 for case in SELECT},
        tiny={case: 500 for case in SELECT},
        # They have neither an order of clauses nor mixed ones; and a task of tokio cannot try a selection.
        fewer={
            "tokio": {case: None if not case[0].isdigit() or "else" in case else 20_000 for case in SELECT},
            "crossbeam": {case: None if not case[0].isdigit() else 20_000 for case in SELECT},
        },
        rounds=7,
        probe={case: (2000, 12_000) for case in SELECT if not case.endswith("2dom")},
    ),
    "chan": Bench(
        cases=CHAN,
        tiny={**dict.fromkeys(CHAN, 1000), "sieve": 50},
        fewer={
            "pthreads": {
                "pingpong": 10_000,
                "buffered": 500_000,
                "buffered-2dom": 500_000,
                "skynet": None,
                "skynet-async": None,
                "ring": None,
                "sieve": None,
            },
            "crossbeam": {"pingpong": 50_000, "skynet": None, "skynet-async": None, "ring": None, "sieve": None},
            "tokio": {"skynet-async": None},
        },
        rounds=7,
        fewer_rounds={"ring": 3},
        probe={"pingpong": (2000, 12_000), "buffered": (2000, 12_000)},
    ),
    "futures": Bench(
        cases=dict.fromkeys(FUTURES, 200_000),
        tiny=dict.fromkeys(FUTURES, 500),
        fewer={"pthreads": dict.fromkeys(FUTURES, 2000)},
        rounds=7,
        probe=dict.fromkeys(FUTURES, (2000, 12_000)),
    ),
    "mutex": Bench(
        cases=dict.fromkeys(MUTEX, 400_000),
        tiny=dict.fromkeys(MUTEX, 800),
        fewer={"pthreads": {"contended": 8000}},
        rounds=7,
        probe={case: (2000, 12_000) for case in ("free", "contended")},
    ),
    "disk": Bench(
        # Enough that what is set up once does not count: a ring, and the frames of so many readers.
        cases={case: 4000 if int(case.split("-")[1]) < 16 else 40_000 for case in DISK},
        tiny={"4k-1": 50, "4k-64": 200, "64k-64-cached": 200},
        fewer={
            system: {case: 20_000 if case.endswith("cached") else 4000 for case in DISK} for system in ("c", "libuv")
        },
        rounds=5,
    ),
    "quotes": Bench(
        cases={case: 8 for case in QUOTES},
        tiny={"100": 2},
        rounds=5,
        paired=True,
    ),
    "echo": Bench(
        cases={case: 1000 for case in ECHO},
        tiny={case: 50 for case in ECHO},
        rounds=5,
        paired=True,
    ),
    "twait": Bench(
        cases=TWAIT,
        tiny={case: 10_000 for case in TWAIT},
        fewer={
            "c": dict.fromkeys(("implicit", "explicit", "threads")),
            "c-callbacks": dict.fromkeys(("nullfn", "allocation", "wrap", "threads")),
            "libuv": dict.fromkeys(("nullfn", "allocation", "wrap", "threads")),
            "go": dict.fromkeys(case for case in TWAIT if case != "threads"),
            "pthreads": {**dict.fromkeys(case for case in TWAIT if case != "threads"), "threads": 2000},
        },
        rounds=9,
        probe={case: (100_000, 300_000) if case in ("nullfn", "wrap") else (10_000, 30_000) for case in TWAIT},
    ),
    "kv": Bench(
        cases={case: 700 for case in KV},
        tiny={case: 50 for case in KV},
        rounds=7,
        paired=True,
    ),
    "proxy": Bench(
        cases={case: 700 for case in PROXY},
        tiny={case: 50 for case in PROXY},
        rounds=7,
        paired=True,
    ),
    "http": Bench(
        cases={case: 700 for case in HTTP},
        tiny={case: 50 for case in HTTP},
        rounds=7,
        paired=True,
    ),
    "async": Bench(
        cases={case: 1_000_000 for case in ASYNC},
        tiny={case: 10_000 for case in ASYNC},
        fewer={
            "c": {"async-yield": None},
            "go": {"async": 100_000, "async-yield": 100_000},
            "tokio": {"async": 100_000, "async-yield": 100_000},
        },
        rounds=15,
        probe={case: (10_000, 30_000) for case in ASYNC},
    ),
    "pingpong": Bench(
        cases={case: 200_000 for case in PINGPONG},
        tiny={case: 2000 for case in PINGPONG},
        fewer={"mpi": {"domains": None}, "go": {**dict.fromkeys(PROCESSES), "domains": 20_000}},
        rounds=9,
    ),
}

# Bytes that must be available before a program is run; a run that would swap measures the disk.
MEMORY_NEEDED = {
    ("switch", "1000000", "boost-fiber"): 14 << 30,
    ("switch", "1000000", "go"): 6 << 30,
    ("memory", "parked", "go"): 6 << 30,
    ("memory", "ring", "go"): 6 << 30,
    ("chan", "ring", "go"): 6 << 30,
    ("chan", "ring", "tokio"): 6 << 30,
}


def count_for(bench, case, system, tiny=False):
    """COUNT for a program, or None when the system cannot run the case."""
    plan = BENCHES[bench]
    if case in plan.ours_alone and system != "charcoal":
        return None
    normal = plan.fewer.get(system, {}).get(case, plan.cases[case])
    if normal is None:
        return None
    return plan.tiny.get(case) if tiny else normal
