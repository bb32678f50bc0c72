"""`size`: how much code and compile time SQLite and Lua take at -O2 compared with clang, what the code consists of, and
how large frames are.
"""

import glob
import os
import shutil
import subprocess

from . import frames, objects, results, same_code
from .build import HERE, Unavailable, clang, run_logged, tool

FLAGS = ["-O2", "-ffunction-sections", "-fdata-sections", "-w"]
LTO = ["-flto", "-fuse-ld=lld"]
SUSPENDING = ("ch_suspend", "charcoal.entry.")
RESTORING = ("ch_restore",)
COLD = (".int.cold", ".int.framed.cold")


def fetch_sources(builder):
    """The folder that holds the packages with the sources, fetched once."""
    cargo = tool("cargo")
    folder = f"{builder.out}/sources"
    done = f"{folder}/.complete"
    with open(f"{HERE}/size/Cargo.lock") as file:
        lock = file.read()
    if os.path.exists(done) and open(done).read() == lock:
        return folder
    if not cargo:
        raise Unavailable("cargo, which fetches the sources of SQLite and Lua, is not installed")
    shutil.rmtree(folder, ignore_errors=True)
    run_logged(
        [cargo, "vendor", "--locked", "--quiet", folder],
        builder.log,
        directory=f"{HERE}/size",
        complaint="the sources of SQLite and Lua cannot be fetched",
    )
    with open(done, "w") as file:
        file.write(lock)
    return folder


def projects(folder):
    """{project: (source files, include folder, further flags, libraries)}"""
    sqlite = f"{folder}/libsqlite3-sys/sqlite3"
    lua = sorted(glob.glob(f"{folder}/lua-src/lua-5.4*"))[-1]
    lua_sources = sorted(p for p in glob.glob(f"{lua}/*.c") if os.path.basename(p) not in ("lua.c", "luac.c"))
    return {
        "sqlite": ([f"{sqlite}/sqlite3.c"], sqlite, [], ["-lm", "-lpthread", "-ldl"]),
        "lua": (lua_sources, lua, ["-DLUA_USE_POSIX"], ["-lm"]),
    }


def compile_all(compiler, project, out, log, more=()):
    """Compiles each file of a project; returns (object files, CPU seconds)."""
    files, include, flags, _ = project
    os.makedirs(out, exist_ok=True)
    made, seconds = [], 0.0
    for path in files:
        target = f"{out}/{os.path.basename(path)[:-2]}.o"
        with open(log, "a") as file:
            child = subprocess.Popen(
                [compiler, *FLAGS, *more, *flags, f"-I{include}", "-c", path, "-o", target],
                stdout=file,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise Unavailable(f"{os.path.basename(compiler)} could not compile {os.path.basename(path)}; see {log}")
        seconds += usage.ru_utime + usage.ru_stime
        made.append(target)
    return made, seconds


def link(compiler, name, project, made, out, log, more):
    """Links the objects with a small main, runs it, returns (path of the program, output)."""
    _, include, flags, libraries = project
    program = f"{out}/{name}-linked"
    run_logged(
        [
            compiler,
            *FLAGS,
            *flags,
            f"-I{include}",
            f"{HERE}/size/{name}.c",
            *made,
            "-o",
            program,
            *more,
            *libraries,
        ],
        log,
        complaint=f"{os.path.basename(compiler)} could not link {name}",
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Unavailable(f"{name} by {os.path.basename(compiler)} ends with {done.returncode}: {done.stderr[-200:]}")
    return program, done.stdout


def where_the_bytes_are(made):
    """{part: bytes} of our objects, and the number of functions of each kind."""
    parts = dict.fromkeys(
        [
            "plain",
            "interruptible body",
            "suspend tails",
            "dispatch and restore",
            "cold parts",
            "shared thunks and adapters",
            "frame tables",
            "constants",
            "unwind tables",
            "relocations",
        ],
        0,
    )
    counts = {"plain": 0, "interruptible": 0, "shared": 0}
    for path in made:
        sizes, code = objects.functions(path), objects.disassemble(path)
        for name, size in sizes.items():
            if name.startswith("charcoal.direct."):
                continue  # a second name of an interruptible version, or of a function charcoal.external.*
            if name.startswith("charcoal."):
                parts["shared thunks and adapters"] += size
                counts["shared"] += 1
            elif name.endswith(COLD):
                parts["cold parts"] += size
            elif ".int" in name:
                counts["interruptible"] += 1
                split = objects.parts(code[name], SUSPENDING, RESTORING) if code.get(name) else {"body": 1}
                scale = size / max(1, sum(split.values()))
                parts["interruptible body"] += split["body"] * scale
                parts["suspend tails"] += split.get("suspend", 0) * scale
                parts["dispatch and restore"] += split.get("restore", 0) * scale
            else:
                parts["plain"] += size
                counts["plain"] += 1
        for name, size in objects.sections(path).items():
            kind = name.split(".")[1]
            if kind in ("rodata", "data", "lrodata", "ldata") and "charcoal" in name or name.startswith("cc_"):
                parts["frame tables"] += size
            elif kind == "rodata":
                parts["constants"] += size
            elif kind == "data":
                parts["frame tables" if ".rel.ro" in name and ".int" in name else "constants"] += size
            elif kind == "eh_frame":
                parts["unwind tables"] += size
            elif kind in ("rela", "rel"):
                parts["relocations"] += size
    return parts, counts


def hot_bytes(made):
    """Bytes of what runs while nothing waits: interruptible versions without their cold parts, functions that have only
    a plain version, and what these share."""
    hot = 0
    for path in made:
        sizes = objects.functions(path)
        unlikely = sum(n for name, n in objects.sections(path).items() if name.startswith(".text.unlikely."))
        plain_too = sum(n for name, n in sizes.items() if f"{name}.int" in sizes)
        hot += objects.code_bytes(path) - unlikely - plain_too
    return hot


def kept_versions(made, program):
    """(functions of ours in the program, those of them that are there in both versions)"""
    suffix = ".int"
    every = {name for path in made for name in objects.functions(path)}
    bodies = {name for name in every if not name.startswith("charcoal.") and not name.endswith(COLD)}
    ours = {name.removesuffix(suffix) for name in bodies}
    names = set(objects.functions(program))
    kept = [name for name in ours if name in names or name + suffix in names]
    return len(kept), sum(name in names and name + suffix in names for name in kept)


def runtime_alone(builder, compiler):
    """Bytes of code of a program that does nothing, which is what the runtime takes in each program."""
    source, program = f"{builder.out}/size/nothing.c", f"{builder.out}/size/nothing"
    with open(source, "w") as file:
        file.write("int main(void) { return 0; }\n")
    run_logged([compiler, *FLAGS, source, "-o", program, "-Wl,--gc-sections"], builder.log)
    return objects.code_bytes(program)


def linked_rows(builder, name, project, compilers, made):
    """Rows of whole programs: with everything, without what nobody uses, and optimised when linked as well."""
    suffix = "" if name == "sqlite" else f"-{name}"
    runtime = {system: runtime_alone(builder, compiler) for system, compiler in compilers.items()}
    rows = [results.row("size", f"text-program{suffix}", "charcoal", "runtime alone", runtime["charcoal"], "bytes")]
    variants = {"text-whole": (["-Wl,--no-gc-sections"], ()), "text-program": (["-Wl,--gc-sections"], ()),
                "text-lto": (["-Wl,--gc-sections"], LTO)}
    for case, (more, lto) in variants.items():
        text, answers = {}, {}
        for system, compiler in compilers.items():
            out = f"{builder.out}/size/{name}-{system}{'-lto' if lto else ''}"
            files = compile_all(compiler, project, out, builder.log, lto)[0] if lto else made[system]
            program, answers[system] = link(compiler, name, project, files, out, builder.log, [*lto, *more])
            text[system] = objects.code_bytes(program) - runtime[system]
            if case == "text-program" and system == "charcoal":
                kept, both = kept_versions(files, program)
                rows.append(results.row("size", f"{case}{suffix}", system, "functions", kept, "functions"))
                rows.append(results.row("size", f"{case}{suffix}", system, "in both versions", both, "functions"))
        if answers["charcoal"] != answers["c"]:
            raise Unavailable(f"{name}: the program answers differently from clang's")
        for system in ("charcoal", "c"):
            rows.append(results.row("size", f"{case}{suffix}", system, "text", text[system], "bytes", text["charcoal"]))
    return rows


def project_rows(builder, name, project, rounds):
    suffix = "" if name == "sqlite" else f"-{name}"
    log = builder.log
    compilers = {"c": clang(), "charcoal": builder.charcoal_cc()}
    seconds, made = {}, {}
    for _ in range(rounds):
        for system, compiler in compilers.items():
            out = f"{builder.out}/size/{name}-{system}"
            made[system], taken = compile_all(compiler, project, out, log)
            seconds.setdefault(system, []).append(taken)
    text = {system: sum(map(objects.code_bytes, files)) for system, files in made.items()}
    rows = []
    for system in ("charcoal", "c"):
        rows.append(results.row("size", f"text{suffix}", system, "text", text[system], "bytes", text["charcoal"]))
    hot = {"charcoal": hot_bytes(made["charcoal"]), "c": text["c"]}
    for system in ("charcoal", "c"):
        rows.append(results.row("size", f"text-hot{suffix}", system, "text", hot[system], "bytes", hot["charcoal"]))
    for system in ("charcoal", "c"):
        best = min(seconds[system])
        rows.append(
            results.row("size", f"compile{suffix}", system, "time", best, "CPU seconds", min(seconds["charcoal"]))
        )
        rows.append(
            results.row("size", f"compile{suffix}", system, "spread", 100 * (max(seconds[system]) / best - 1), "%")
        )
    rows += linked_rows(builder, name, project, compilers, made)
    for what, (value, unit) in frames.table(made["charcoal"]).items():
        rows.append(results.row("size", f"frames{suffix}", "charcoal", what, value, unit))
    parts, counts = where_the_bytes_are(made["charcoal"])
    case = f"where{suffix}"
    rows += [results.row("size", case, "charcoal", part, size, "bytes") for part, size in parts.items()]
    rows += [results.row("size", case, "charcoal", f"{kind} functions", n, "functions") for kind, n in counts.items()]
    pairs = [same_code.compare(a, b) for a, b in zip(made["charcoal"], made["c"])]
    same, total = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    different = [n for p in pairs for n in p[2]]
    with open(f"{builder.out}/size/{name}-different.txt", "w") as file:
        file.write("".join(f"{n}\n" for n in different))
    rows.append(results.row("size", case, "charcoal", "plain code as clang's", 100 * same / total, "% of functions"))
    return rows


def cases(builder, rounds, complaints, only=None):
    """The rows of each project in turn."""
    try:
        builder.charcoal_cc()
        sources = projects(fetch_sources(builder))
    except Unavailable as reason:
        complaints.append(("charcoal", "size", f"size: {reason}"))
        return
    for name, default in (("sqlite", 2), ("lua", 3)):
        if only and name not in only:
            continue
        try:
            yield project_rows(builder, name, sources[name], rounds or default)
        except (Unavailable, subprocess.CalledProcessError) as reason:
            complaints.append(("charcoal", "size", f"size of {name}: {reason}"))
