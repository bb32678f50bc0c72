# Thin over CMake and Ninja. `make help` lists what can be made.
#
# Everything is built into $(BUILD), which looks like the installed tree: bin/charcoal-cc, include/, lib/.
BUILD ?= build
PREFIX ?= /usr/local
LLVM ?= 22
JOBS ?= $(shell nproc)
BENCH ?=
PART ?=

.PHONY: all setup demo check soak bench install format lint clean help

all: setup
	@scripts/build $(BUILD) $(LLVM) $(JOBS)

setup:
	@scripts/setup $(BUILD)

demo: all        ## the main job: look up 1,000 names concurrently in one thread
	@examples/demo $(BUILD)

check: all       ## all tests; PART=tests/runtime runs one part
	@scripts/run-parts check $(BUILD) $(PART)

soak: all        ## the long tests; PART= as above
	@scripts/run-parts soak $(BUILD) $(PART)

bench: all       ## all benchmarks beside their peers; BENCH=calls runs one
	@bench/run $(BUILD) $(BENCH)

install: all     ## into PREFIX (default /usr/local); DESTDIR is honoured
	@cmake --install $(BUILD) --prefix $(PREFIX)

format: setup    ## clang-format over all C and C++ sources
	@scripts/format

lint: all        ## formatting, clang-tidy, shellcheck where it is installed
	@scripts/lint $(BUILD)

clean:           ## remove the build directory
	@rm -rf $(BUILD)

help:
	@echo 'make           build into $(BUILD)/'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 15
