"""A domain inside the loops of libuv, GLib, Node and a game, and straight-line code over the callbacks of libuv and
c-ares: each program says what it has to, with both reactors, and with every yield point taken."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = f"{ROOT}/examples/loops"
CALLBACKS = f"{ROOT}/examples/callbacks"
STRESS = ["-O1", "-g", "-fcharcoal-stress"]
ASAN = [*STRESS, "-fsanitize=address"]

PROGRAMS = {
    "in_libuv": ["20 answers are right; 1 + ... + 100 is 5050", "libuv's timer went on meanwhile"],
    "in_glib": [
        *[f"{n} click: button {i}" for i, n in enumerate(["first", "second", "third"], 1)],
        "no click within the time",
    ],
    "game": [*["the hero jumps"] * 3, "the guard has made 20 steps", "the frames went on"],
    "in_node": [*[f"hello, {name}" for name in ("Ada", "Brian", "Grace", "Edsger")], "the timer went on"],
    "over_libuv": [*["9000 bytes copied"] * 2, "no such file: told"],
    "over_cares": [
        "host1.example.test 10.208.161.48",
        "host2.example.test 10.248.182.235",
        "missing.example.test Domain name not found",
    ],
}


# Each time when libuv has nothing left to do, it is woken once more, as by a thread of its pool that is late.
LATE_WAKE_UP = """#include <stdint.h>
#include <unistd.h>
#include <uv.h>
int __real_uv_run(uv_loop_t *, uv_run_mode);
int __wrap_uv_run(uv_loop_t *loop, uv_run_mode mode) {
  int alive = __real_uv_run(loop, mode);
  uint64_t one = 1;
  if (!alive && write(loop->async_io_watcher.fd, &one, sizeof one) != sizeof one)
    return -1;
  return alive;
}
"""


def run(*command, env=None):
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        env={**os.environ, **(env or {})},
    )
    return done.returncode, done.stdout


def flags(package):
    status, output = run("pkg-config", "--cflags", "--libs", package)
    return output.split() if status == 0 else None


def compile_all(cc, folder, options, expect):
    """Yields the name of each program and the command that runs it."""
    plain = [option for option in options if option != "-fsanitize=address"]
    game = f"{folder}/game.o"
    include = os.path.dirname(os.path.dirname(cc)) + "/include"
    run("gcc", "-O1", "-c", "-DCHARCOAL_LIBRARY", f"-I{include}", f"{FOLDER}/game.c", "-o", game)
    for name, how in {
        "in_libuv": [*options, f"{FOLDER}/in_libuv.c", *flags("libuv")],
        "in_glib": [*options, f"{FOLDER}/in_glib.c", *flags("glib-2.0")],
        "game": [*options, f"{FOLDER}/characters.c", game],
        "in_node": [*plain, "-fPIC", "-shared", "-I/usr/include/node", f"{FOLDER}/in_node.c"],
        "over_libuv": [*options, f"{CALLBACKS}/over_libuv.c", *flags("libuv")],
        "over_cares": [*options, f"{CALLBACKS}/over_cares.c", f"{ROOT}/examples/dnsd/answer.c", *flags("libcares")],
    }.items():
        status, output = run(cc, "-Wall", "-Wextra", *how, "-o", f"{folder}/{name}.node")
        expect(f"{name}_compiles {' '.join(options)}", (status, output) == (0, ""), output[-2000:])
        program = f"{folder}/{name}.node"
        commands = {
            "in_node": ["node", f"{FOLDER}/in_node.js", program],
            "over_libuv": [program, f"{folder}/text", f"{folder}/copy", f"{folder}/other"],
        }
        yield name, commands.get(name, [program])


def late_wake_ups(cc, folder, options, expect):
    """What libuv does not read as long as it has no requests does not keep the branch that runs its loop busy."""
    with open(f"{folder}/late.c", "w") as file:
        file.write(LATE_WAKE_UP)
    compiled = run("gcc", "-O1", "-c", f"{folder}/late.c", "-o", f"{folder}/late.o") == (0, "")
    sources = [f"{CALLBACKS}/over_libuv.c", f"{folder}/late.o", "-Wl,--wrap=uv_run"]
    program = f"{folder}/over_libuv_late"
    compiled = compiled and run(cc, *options, *sources, *flags("libuv"), "-o", program) == (0, "")
    for reactor in "epoll", "io_uring":
        command = ["timeout", "60", program, f"{folder}/text", f"{folder}/copy", f"{folder}/other"]
        status, output = run(*command, env={"CHARCOAL_REACTOR": reactor}) if compiled else (-1, "does not compile")
        if reactor == "io_uring" and "the kernel refuses it" in output:
            continue
        expect(
            f"a_late_wake_up_does_not_keep_over_libuv_busy {reactor} {' '.join(options)}",
            status == 0 and sorted(output.splitlines()) == sorted(PROGRAMS["over_libuv"]),
            f"{status} {output[-2000:]}",
        )


def tests(expect, build, folder):
    cc = f"{build}/bin/charcoal-cc"
    text = "a line\n\0" * 1125
    with open(f"{folder}/text", "w") as file:
        file.write(text)
    for options in ["-O2"], ASAN:
        for name, command in compile_all(cc, folder, options, expect):
            for reactor in "epoll", "io_uring":
                status, output = run(*command, env={"CHARCOAL_REACTOR": reactor})
                if reactor == "io_uring" and "the kernel refuses it" in output:
                    continue
                expect(
                    f"{name}_says_what_it_has_to {reactor} {' '.join(options)}",
                    status == 0 and sorted(output.splitlines()) == sorted(PROGRAMS[name]),
                    output[-2000:],
                )
        copies = [open(f"{folder}/{name}").read() for name in ("copy", "other")]
        expect(f"over_libuv_copies_all {' '.join(options)}", copies == [text, text])
        late_wake_ups(cc, folder, options, expect)
