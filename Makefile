# make run: the first posterior. make test: everything. See `make help`.
SHELL := /bin/bash
JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help run build full test check bench docs format lint clean setup-core setup-all

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

setup-core:
	@scripts/setup core

setup-all:
	@scripts/setup all

build: setup-core
	@test -f build/build.ninja || { echo "configuring" && cmake --preset release >/dev/null; }
	@NINJA_STATUS="building [%f/%t] " cmake --build build -j $(JOBS) --target pollen

run: build ## install what is missing, build the light core, sample the built-in problem
	@build/bin/pollen run

full: setup-all ## build everything, without the tests
	@cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS) -- --quiet

test: setup-all ## the same set-up, then every test: release, sanitizers, fuzzing, include rules
	@scripts/test

check: setup-all ## the release tests alone, for daily work
	@scripts/test release

bench: setup-all ## benchmarks: against NumPy twins, the tables of docs/performance.md, the machine's limits
	@cmake --preset bench >/dev/null
	@cmake --build build -j $(JOBS) -- --quiet
	@bench/run

docs: build ## write docs/configuration.md from the rows of the keys (src/recipe/keys_*.cc)
	@build/bin/pollen list keys --markdown > docs/configuration.md.new && mv docs/configuration.md.new docs/configuration.md

format: ## lay out the code as .clang-format says
	@git ls-files '*.cc' '*.h' | xargs clang-format-16 -i

lint: full ## clang-tidy and the rooms' include rules
	@scripts/check-rooms
	@scripts/lint

clean: ## remove build/
	@rm -rf build
