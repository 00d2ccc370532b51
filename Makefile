# make run: the first posterior. make test: everything. See `make help`.
SHELL := /bin/bash
JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help run build full test bench format lint clean setup-core setup-all

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

setup-core:
	@scripts/setup core

setup-all:
	@scripts/setup all

build: setup-core
	@test -f build/build.ninja || { echo "configuring" && cmake --preset release >/dev/null; }
	@NINJA_STATUS="building [%3f/%t] " cmake --build build -j $(JOBS) --target pollen

run: build ## install what is missing, build the light core, sample the built-in problem
	@build/bin/pollen run

full: setup-all ## build everything, without the tests' runs
	@cmake --preset dev >/dev/null
	@cmake --build build -j $(JOBS) -- --quiet

test: full ## the same set-up, then every test: release, sanitizers, fuzzing, style
	@scripts/test

bench: full ## benchmarks: against NumPy twins, the tables of docs/performance.md, the machine's limits
	@bench/run

format: ## lay out the code as .clang-format says
	@git ls-files '*.cc' '*.h' | xargs clang-format-16 -i

lint: full ## clang-tidy and the rooms' include rules
	@scripts/check-rooms
	@scripts/lint

clean: ## remove build/
	@rm -rf build
