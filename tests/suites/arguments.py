"""The options of suites in which each test is one file."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "differential"))
import run  # noqa: E402


def parse(description, default_settings):
    """The options; `build` is absolute, and both compilers are lists of words."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=run.REPO / "build")
    parser.add_argument("--cc", help="compiler under test (default: BUILD/bin/charcoal-cc)")
    parser.add_argument("--reference", type=str.split, default="clang-22")
    parser.add_argument("--every", type=int, default=1, help="only every Nth test")
    parser.add_argument("--settings", default=default_settings)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("patterns", nargs="*")
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.cc = (args.cc or str(args.build / "bin" / "charcoal-cc")).split()
    return args
