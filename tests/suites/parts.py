#!/usr/bin/env python3
"""Other people's programs: runs the parts one after the other and sums them: parts.py BUILD quick|long."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "differential"))
from parts_of import run_parts  # noqa: E402


def parts(build, long):
    applications = [sys.executable, str(HERE / "applications.py"), "--build", build]
    torture = [sys.executable, str(HERE / "torture.py"), "--build", build]
    if not long:
        return [
            [*applications, "--quick", "--settings", "O2-stress", "lua", "lua51", "lua-unprotected", "zlib"],
            # With -O2 and stress clang takes two and a half minutes for it.
            [*applications, "--quick", "--settings", "O0-stress", "sqlite"],
            [*applications, "--quick", "--settings", "O0-stress-asan", "lua-unprotected", "zlib"],
            [*torture, "--every", "25", "--settings", "O0-stress,O2-stress,O2-stress-asan"],
        ]
    clang = [sys.executable, str(HERE / "clang.py"), "--build", build]
    own = [sys.executable, str(HERE / "own_tests.py"), "--build", build]
    glibc = [sys.executable, str(HERE / "glibc.py"), "--build", build]
    every = "O0-plain,O2-plain,O0-stress,O2-stress,O0-stress-asan,O2-stress-asan"
    return [[*applications, "--settings", every], [*torture, "--settings", every], clang, own, glibc]


if __name__ == "__main__":
    sys.exit(run_parts(parts(sys.argv[1], sys.argv[2] == "long")))
