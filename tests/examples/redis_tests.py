"""redis' own tests of strings, counters, hashes, lists, transactions, expiry and publish/subscribe, run against kv.

They come from Debian's source package of redis. A test that uses a command which kv does not have is passed over: its
failure comes after kv has said "unknown command". A few more are left out by name, because they find that out only
after they have waited, or ask for what kv leaves out on purpose.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

UNITS = ["type/string", "type/incr", "type/hash", "type/list", "multi", "expire", "pubsub"]
TAGS = "-needs:debug -large-memory -slow -resp3 -needs:repl -needs:reset -needs:save"
# Regular expressions of the names of tests.
LEFT_OUT = [
    "HRANDFIELD|NUMSUB|NUMPAT",
    "sanitize dump|Hash fuzzing|ziplist implementation",
    "CLIENT REPLY OFF|Keyspace notifications",
    # Those that wait until a client blocks in a command that kv does not have, and leave clients behind.
    "SWAPDB|SORT..STORE",
    "plain node|plain / packed",
    # Those that leave the client in a transaction with a command that kv does not have.
    "alter argc/argv|while queueing commands #2|SORT with STORE|OOM|script timeout|use-memory|SHUTDOWN|config error",
    "Blocking commands ignores the timeout",
]
# A command whose reply nobody has waited for may come behind another client's where several threads serve.
LEFT_OUT_OF_DOMAINS = ["BRPOPLPUSH does not affect WATCH while still blocked"]
CHANGES = {
    "tests/support/server.tcl": [("    r function flush\n", "")],
    "tests/support/redis.tcl": [
        (
            "- {return -code error [redis_read_line $fd]}",
            """- {
                set line [redis_read_line $fd]
                if {[string match "ERR unknown command*" $line]} {set ::redis::lacks $line}
                return -code error $line
            }""",
        )
    ],
    "tests/support/test.tcl": [
        ("    set test_start_time", "    set ::redis::lacks {}\n    set test_start_time"),
        (
            'test_server_fd err [join $details "\\n"]',
            'test_server_fd [expr {$::redis::lacks eq {} ? "err" : "skip"}] [join $details "\\n"]',
        ),
    ],
    "tests/unit/type/hash.tcl": [("assert_morethan [memory_usage myhash] 0", "")],
}


def source(folder):
    """redis' source with the changes above, below `folder`; None if apt has no sources."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tree = folder / "redis"
    shutil.rmtree(tree, ignore_errors=True)
    if not list(folder.glob("redis_*.orig.tar.gz")):
        got = subprocess.run(["apt-get", "source", "--download-only", "redis"], cwd=folder, capture_output=True)
        if got.returncode != 0:
            return None
    with tarfile.open(next(folder.glob("redis_*.orig.tar.gz"))) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    next((folder / "unpacked").iterdir()).rename(tree)
    for name, changes in CHANGES.items():
        text = (tree / name).read_text()
        for old, new in changes:
            if old not in text:
                sys.exit(f"redis_tests: {name} no longer has: {old}")
            text = text.replace(old, new)
        (tree / name).write_text(text)
    shutil.copy(shutil.which("redis-cli"), tree / "src")
    return tree


def tests(expect, program, folder, *options):
    tree = source(folder)
    if not tree:
        print("       apt has no source of redis: its tests are left out")
        return
    server = subprocess.Popen([program, "-p", "0", *options], stdout=subprocess.PIPE, text=True)
    left_out = LEFT_OUT + (LEFT_OUT_OF_DOMAINS if options else [])
    try:
        port = server.stdout.readline().split(":")[-1].strip()
        for unit in UNITS:
            done = subprocess.run(
                ["./runtest", "--host", "127.0.0.1", "--port", port, "--single", f"unit/{unit}", "--singledb"]
                + ["--durable", "--ignore-encoding", "--tags", TAGS]
                + [word for name in left_out for word in ("--skiptest", f"/{name}")],
                cwd=tree,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=600,
                env=dict(os.environ, TERM="dumb"),
            )
            output = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
            right = len(re.findall(r"^\[ok\]", output, re.M))
            wrong = re.findall(r"^\[(?:err|exception)\].*\n.*", output, re.M)
            print(f"       {unit}: {right} right")
            name = " ".join(["kv_passes_what_redis_tests_of", unit, *options])
            expect(name, right > 0 and not wrong, "\n".join(wrong[:20]))
    finally:
        server.kill()
        server.wait()
