# Thin over CMake and Ninja. `make help` lists what can be made.
#
# Everything is built into $(BUILD), which looks like the installed tree: bin/charcoal-cc, include/, lib/.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BENCH ?=
PART ?=
TARGET ?= aarch64-linux-gnu

.NOTPARALLEL:
.PHONY: all runtime setup setup-check demo check soak bench figures install format lint clean help

all: setup
	@scripts/build $(BUILD) $(JOBS)

runtime: all     ## the runtime for another processor, TARGET=aarch64-linux-gnu; charcoal-cc --target=… links it
	@scripts/build-for $(TARGET) $(BUILD) $(JOBS)

setup:
	@scripts/setup $(BUILD) build

setup-check:
	@scripts/setup $(BUILD) check

demo: all        ## the main job: look up 1,000 names concurrently in one thread
	@examples/demo $(BUILD)

# One part more than there are processors, because parts wait for servers, browsers and times.
check: setup-check all   ## all tests; PART=tests/runtime runs one part
	@scripts/run-parts check $(BUILD) $$(($(JOBS) + 1)) $(PART)

soak: setup-check all   ## the long tests; PART= as above
	@scripts/run-parts soak $(BUILD) 1 $(PART)

bench: setup-check all   ## all benchmarks beside their peers; BENCH=calls runs one
	@bench/run $(BUILD) $(BENCH)

figures:         ## docs/benchmarks.md and its picture, from what `make bench` has measured; MACHINE="how quiet it was"
	@bench/figures $(BUILD) --machine "$(MACHINE)"

install: all     ## into PREFIX (default /usr/local); DESTDIR is honoured
	@cmake --install $(BUILD) --prefix $(PREFIX)

format: setup-check ## clang-format over all C and C++ sources
	@scripts/format

lint: setup-check all ## formatting, clang-tidy, shellcheck where it is installed
	@scripts/lint $(BUILD)

clean:           ## remove the build directory
	@rm -rf $(BUILD)

help:
	@echo 'make           build into $(BUILD)/'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 15
