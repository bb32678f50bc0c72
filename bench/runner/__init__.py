"""The benchmark runner: bench/run measures with it, and bench/figures draws with it."""
